// Handler of read_page: fetches one page and leaves only its words.

import { ErrorType } from '../_core/error-types.js';

const TEXT_CHARS_MAX = 8000;
const TITLE_CHARS_MAX = 300;
const NAMED_CHARACTERS = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

export async function execute({ args, context }) {
  let response;
  try {
    response = await context.fetch(args.url, { headers: { accept: 'text/html, text/plain' } });
  } catch (cause) {
    return refuse(
      cause.code === 'NOT_ALLOWED' ? ErrorType.PERMANENT : ErrorType.TRANSIENT,
      `The page cannot be reached: ${cause.message}`,
    );
  }
  if (!response.ok) {
    return refuse(
      response.status >= 500 ? ErrorType.TRANSIENT : ErrorType.NOT_FOUND,
      `The site answered ${response.status}. Check the address.`,
    );
  }
  const kind = response.headers.get('content-type') ?? '';
  if (!/^text\/(html|plain)\b/i.test(kind)) {
    return refuse(ErrorType.PERMANENT, `This is no page but "${kind}".`);
  }
  return { ok: true, data: pageOf(response.url || args.url, await response.text(), kind) };
}

function refuse(type, message) {
  return { ok: false, error: { type, message, retryable: type === ErrorType.TRANSIENT } };
}

function pageOf(url, source, kind) {
  const isPlain = /^text\/plain\b/i.test(kind);
  const text = isPlain ? source.trim() : textOf(source);
  const title = isPlain ? '' : titleOf(source);
  return {
    url,
    title: title.slice(0, TITLE_CHARS_MAX),
    text: text.slice(0, TEXT_CHARS_MAX),
    truncated: text.length > TEXT_CHARS_MAX,
  };
}

function titleOf(html) {
  const found = /<title[^>]*>([^<]*)<\/title>/i.exec(html);
  return found ? decoded(found[1]).replace(/\s+/g, ' ').trim() : '';
}

/** Words alone: what no reader sees is dropped, and each block stands on a line of its own. */
function textOf(html) {
  const words = html
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/<(head|script|style|noscript|template|svg|nav|footer)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .replace(/<\/?(p|div|h[1-6]|li|ul|ol|tr|table|section|article|br|hr|pre|blockquote)\b[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, '');
  return decoded(words)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function decoded(text) {
  return text.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]+);/gi, (whole, name) => {
    if (!name.startsWith('#')) return NAMED_CHARACTERS[name.toLowerCase()] ?? whole;
    const isHex = name[1].toLowerCase() === 'x';
    const point = parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
