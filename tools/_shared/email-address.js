// Checks the form of one e-mail address by the mailbox grammar of RFC 5321 and RFC 6531.

const LOCAL_OCTETS_MAX = 64;
const DOMAIN_OCTETS_MAX = 255;
const LABEL_CHARACTERS_MAX = 63;

const ATOM = /^[\p{L}\p{N}\p{M}!#$%&'*+\-/=?^_`{|}~]+$/u;
const LABEL_CHARACTERS = /^[\p{L}\p{N}\p{M}-]+$/u;
// Inside quotes: printable ASCII, or a backslash and any printable ASCII, or a letter beyond ASCII.
const QUOTED = /^"(?:[ !#-[\]-~]|[^\u0000-\u009F]|\\[ -~])*"$/u;

/**
 * Returns `{ local, domain, reason }`; `reason` is `null` for a well-formed address. The parts
 * are given as they were written, as far as they could be told apart.
 */
export function parseEmailAddress(text) {
  const at = separatorIndex(text);
  if (at === -1) return { local: text, domain: '', reason: reasonWithoutAt(text) };
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  return { local, domain, reason: reasonOf(text, local, domain) };
}

/** The `@` that separates: after a quoted local part the next one, otherwise the last one. */
function separatorIndex(text) {
  if (!text.startsWith('"')) return text.lastIndexOf('@');
  for (let index = 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '"') return text[index + 1] === '@' ? index + 1 : -1;
  }
  return -1;
}

function reasonWithoutAt(text) {
  if (text.trim() === '') return 'empty';
  return text.startsWith('"') ? 'bad_quotes' : 'missing_at';
}

function reasonOf(text, local, domain) {
  if (text !== text.trim()) return 'surrounding_space';
  // 64 + 1 + 255 octets: an address whose parts fit is never longer than 320.
  return localReason(local) ?? domainReason(domain);
}

function localReason(local) {
  if (local === '') return 'local_empty';
  if (octetsOf(local) > LOCAL_OCTETS_MAX) return 'local_too_long';
  if (local.startsWith('"')) return QUOTED.test(local) ? null : 'bad_quotes';
  if (local.includes('@')) return 'several_at';
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return 'local_bad_dot';
  return local.split('.').every((atom) => ATOM.test(atom)) ? null : 'local_bad_character';
}

function domainReason(domain) {
  if (domain === '') return 'domain_empty';
  if (octetsOf(domain) > DOMAIN_OCTETS_MAX) return 'domain_too_long';
  if (domain.startsWith('[')) return isAddressLiteral(domain) ? null : 'domain_bad_literal';
  const labels = domain.split('.');
  if (labels.includes('')) return 'domain_bad_dot';
  if (!labels.every((label) => LABEL_CHARACTERS.test(label))) return 'domain_bad_character';
  if (labels.some((label) => /^-|-$/.test(label))) return 'domain_bad_hyphen';
  if (labels.some((label) => [...label].length > LABEL_CHARACTERS_MAX)) return 'label_too_long';
  // One label alone, or a number in the last place, never names a mail host on the internet.
  if (labels.length < 2) return 'domain_not_qualified';
  return /^[0-9]+$/.test(labels.at(-1)) ? 'domain_numeric_ending' : null;
}

/** `[192.0.2.7]` or `[IPv6:2001:db8::7]`: mail straight to a machine. */
function isAddressLiteral(domain) {
  const match = /^\[(IPv6:)?([0-9A-Fa-f.:]+)\]$/i.exec(domain);
  if (!match) return false;
  return match[1] ? isIpv6(match[2]) : isIpv4(match[2]);
}

export function isIpv4(text) {
  const parts = text.split('.');
  const isOctet = (part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255;
  return parts.length === 4 && parts.every(isOctet);
}

function isIpv6(text) {
  // A dotted tail such as ::ffff:192.0.2.7 stands for the last two groups.
  const tail = /:([0-9.]+\.[0-9.]+)$/.exec(text)?.[1];
  if (tail && !isIpv4(tail)) return false;
  const groups = tail ? `${text.slice(0, -tail.length)}0:0` : text;
  const halves = groups.split('::');
  if (halves.length > 2) return false;
  const parts = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const isCount = halves.length === 2 ? parts.length <= 7 : parts.length === 8;
  return isCount && parts.every((part) => /^[0-9A-F]{1,4}$/i.test(part));
}

function octetsOf(text) {
  return new TextEncoder().encode(text).length;
}
