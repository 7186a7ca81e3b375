// Handler of extract_contacts: finds e-mail addresses, phone numbers and links in a text.

import { parseEmailAddress, isIpv4 } from '../_shared/email-address.js';

const PHONE_DIGITS_MIN = 7;
const PHONE_DIGITS_MAX = 15; // E.164
const BARE_DIGITS_MIN = 9; // a run without groups must be long to be a number one can dial

const LINK = /\b(?:https?:\/\/|www\.)[^\s<>"“”«»`]+/giu;
const LOCAL_CHARACTER = /[\p{L}\p{N}\p{M}.!#$%&'*+\-/=?^_`{|}~]/u;
const DOMAIN_CHARACTER = /[\p{L}\p{N}\p{M}.-]/u;
// Digits with at most one separator between them; every repetition eats one digit, so the time
// this takes grows with the text and not with its square.
const PHONE = /\(?\+?\(?\d(?:\)?[ .\u00A0\u2011-]?\(?\d)*/gu;

export async function execute({ args }) {
  const { text } = args;
  const links = findLinks(text);
  // What is inside a link belongs to the link: a path may hold digits, and `user@host` too.
  const emails = findEmails(text).filter((found) => !isInside(found, links));
  const taken = [...links, ...emails];
  const phones = findPhones(text).filter((found) => !isInside(found, taken));
  const positions = characterPositions(text);
  return {
    ok: true,
    data: {
      emails: distinct(emails, positions).map(({ value, ...rest }) => ({ email: value, ...rest })),
      phones: distinct(phones, positions).map(({ value, ...rest }) => ({
        number: value,
        international: value.startsWith('+'),
        ...rest,
      })),
      urls: distinct(links, positions).map(({ value, ...rest }) => ({ url: value, ...rest })),
    },
  };
}

function findLinks(text) {
  const found = [];
  for (const match of text.matchAll(LINK)) {
    const raw = withoutTrailingMarks(match[0]);
    const url = normalLink(raw);
    const start = match.index;
    if (url) found.push({ value: url, key: url, start, end: start + raw.length });
  }
  return found;
}

/** A sentence may end right after a link; a closing bracket stays if it was opened inside. */
function withoutTrailingMarks(link) {
  let unopened = link.split(')').length - link.split('(').length;
  let end = link.length;
  while (end > 0 && /[.,;:!?'’)\]}*_]/.test(link[end - 1])) {
    if (link[end - 1] === ')') {
      if (unopened <= 0) break;
      unopened -= 1;
    }
    end -= 1;
  }
  return link.slice(0, end);
}

/** Scheme and host in lower case, `https` where none was written; the rest is left alone. */
function normalLink(raw) {
  const whole = /^www\./i.test(raw) ? `https://${raw}` : raw;
  const match = /^(https?):\/\/([^/?#]+)(.*)$/iu.exec(whole);
  const host = match?.[2].toLowerCase();
  if (!host || !/[\p{L}\p{N}]/u.test(host)) return null;
  return `${match[1].toLowerCase()}://${host}${match[3]}`;
}

/** Walks outward from each `@`: linear in the text, unlike a pattern that tries every start. */
function findEmails(text) {
  const found = [];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const outerStart = walk(text, at, -1, LOCAL_CHARACTER, 64);
    const outer = text.slice(outerStart, walk(text, at + 1, 1, DOMAIN_CHARACTER, 255));
    // Marks of Markdown, quotes and tables may touch an address, and a full stop may follow it.
    const start = outerStart + /^[.'*_`/=|{]*/.exec(outer)[0].length;
    const raw = outer.slice(start - outerStart).replace(/[.-]+$/, '');
    const { local, domain, reason } = parseEmailAddress(raw);
    if (reason !== null) continue;
    const value = `${local}@${domain.toLowerCase()}`;
    found.push({ value, key: value.toLowerCase(), start, end: start + raw.length });
  }
  return found;
}

/** Moves from `index` in steps of whole characters while they fit the class. */
function walk(text, index, direction, allowed, limit) {
  let position = index;
  for (let steps = 0; steps < limit; steps += 1) {
    const character = direction < 0 ? characterBefore(text, position) : characterAt(text, position);
    if (character === '' || !allowed.test(character)) break;
    position += direction * character.length;
  }
  return position;
}

function characterAt(text, index) {
  return index < text.length ? String.fromCodePoint(text.codePointAt(index)) : '';
}

function characterBefore(text, index) {
  if (index === 0) return '';
  const isPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, index - 2), index));
  return text.slice(index - (isPair ? 2 : 1), index);
}

function findPhones(text) {
  const found = [];
  for (const match of text.matchAll(PHONE)) {
    const start = match.index;
    const raw = balanced(match[0]);
    const end = start + match[0].length;
    const isPartOfWord =
      /[\p{L}\p{N}_#=@$€£]$/u.test(text.slice(Math.max(0, start - 2), start)) ||
      /^[\p{L}\p{N}_%]/u.test(text.slice(end, end + 2));
    const value = isPartOfWord ? null : phoneNumber(raw);
    const offset = match[0].length - raw.length;
    if (value) found.push({ value, key: value, start: start + offset, end });
  }
  return found;
}

/** "(call 67 123 456" opens a bracket that the number never closes. */
function balanced(raw) {
  return raw.startsWith('(') && !raw.includes(')') ? raw.slice(1) : raw;
}

/** The number as digits, with `+` when it names its country; `null` when it is something else. */
function phoneNumber(raw) {
  const isPlus = /^\(?\+/.test(raw);
  // In "+44 (0)20 …" the zero is dialled at home only.
  const digits = (isPlus ? raw.replace('(0)', '') : raw).replace(/\D/g, '');
  const isInternational = isPlus || /^00[1-9]/.test(digits);
  const national = digits.startsWith('00') ? digits.slice(2) : digits;
  const number = isInternational ? national : digits;
  if (number.length < PHONE_DIGITS_MIN || number.length > PHONE_DIGITS_MAX) return null;
  if (isInternational) return number.startsWith('0') ? null : `+${number}`;
  const isBare = raw === digits;
  if (isBare && !(digits.startsWith('0') && digits.length >= BARE_DIGITS_MIN)) return null;
  return isOtherNumber(raw, digits) ? null : number;
}

/** Digits in groups that mean something else; `raw` is what stands in the text. */
function isOtherNumber(raw, digits) {
  const isBookNumber = digits.length === 13 && /^97[89]/.test(digits);
  const isAccountNumber = digits.startsWith('000');
  const isVersion = !/\d\d/.test(raw); // 1.2.3.4.5.6.7
  const isDecimal = /^\d+\.\d+$/.test(raw);
  const isOther = isBookNumber || isAccountNumber || isVersion || isDecimal;
  return isOther || isDate(raw) || isIpv4(raw) || isAmount(raw);
}

/** 2026-12-07, 07.12.2026, 12-07-26, and the first part of 2026-12-07 09 */
function isDate(raw) {
  if (/^(?:19|20)\d\d[-.](?:0[1-9]|1[0-2])[-.](?:0[1-9]|[12]\d|3[01])\b/.test(raw)) return true;
  const match = /^(\d{1,2})[-.](\d{1,2})[-.](?:\d{2}|(?:19|20)\d\d)(?: \d\d)?$/.exec(raw);
  if (!match) return false;
  const [small, large] = [Number(match[1]), Number(match[2])].sort((left, right) => left - right);
  return small >= 1 && small <= 12 && large <= 31;
}

/** 1 234 567, 1.234.567, 250 000 000: digits in groups of three that count something. */
function isAmount(raw) {
  const match = /^([1-9]\d{0,2})((?:[ .\u00A0]\d{3})+)$/.exec(raw);
  return match !== null && (match[1].length === 1 || raw.includes('.') || /000$/.test(raw));
}

function isInside(found, spans) {
  return spans.some((span) => found.start < span.end && found.end > span.start);
}

/** One entry per value, with every place; `raw` is the spelling of the first place. */
function distinct(found, positions) {
  const entries = new Map();
  for (const { value, key, start, end } of found) {
    const occurrence = { start: positions.count(start), end: positions.count(end) };
    const raw = positions.text.slice(start, end);
    const entry = entries.get(key) ?? { value, raw, occurrences: [] };
    entry.occurrences.push(occurrence);
    entries.set(key, entry);
  }
  return [...entries.values()];
}

/** Turns JavaScript's indexes into counts of characters, which mean the same in every language. */
function characterPositions(text) {
  const counts = new Uint32Array(text.length + 1);
  let count = 0;
  for (let index = 0; index < text.length; count += 1) {
    const size = text.codePointAt(index) > 0xffff ? 2 : 1;
    counts.fill(count, index, index + size);
    index += size;
  }
  counts[text.length] = count;
  return { text, count: (index) => counts[index] };
}
