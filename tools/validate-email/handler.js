// Handler of validate_email: says whether an address is well formed, and what was probably meant.

import { parseEmailAddress } from '../_shared/email-address.js';

// Large mail hosts that people mistype; a typo of a short name proves nothing, so none is here.
const COMMON_DOMAINS = [
  'gmail.com', 'googlemail.com', 'outlook.com', 'hotmail.com', 'yahoo.com', 'icloud.com',
  'protonmail.com', 'fastmail.com', 'posteo.de', 'inbox.lv', 'yandex.ru',
];
// Real hosts that lie one letter away from a common one: never "corrected".
const REAL_NEIGHBOURS = new Set(['mail.com', 'email.com', 'ymail.com', 'inbox.lt']);
const MISTYPED_ENDINGS = new Map([
  ['con', 'com'], ['cmo', 'com'], ['ocm', 'com'], ['vom', 'com'], ['comm', 'com'],
  ['ogr', 'org'], ['orgg', 'org'], ['nte', 'net'], ['ner', 'net'], ['nett', 'net'],
]);

export async function execute({ args }) {
  const { local, domain, reason } = parseEmailAddress(args.email);
  const data = { valid: reason === null, local, domain };
  if (reason !== null) data.reason = reason;
  const suggestion = suggestionFor(args.email);
  if (suggestion) data.suggestion = suggestion;
  return { ok: true, data };
}

/** A better spelling, only if it is well formed itself and differs from what was given. */
function suggestionFor(email) {
  const repaired = repairSlips(email);
  const { local, domain, reason } = parseEmailAddress(repaired);
  if (reason !== null) return null;
  const better = `${local}@${likelyDomain(domain)}`;
  return better === email ? null : better;
}

/** Undoes slips of the hand that can mean only one thing. */
function repairSlips(email) {
  const trimmed = email.trim().replace(/^<(.*)>$/, '$1').replace(/^mailto:/i, '');
  if (trimmed.startsWith('"')) return trimmed; // in quotes every character may be meant
  const [local, ...rest] = trimmed.split(/@+/);
  const domain = rest.join('@').replace(/[.,]+/g, '.').replace(/^\.|\.$/g, '');
  return `${local}@${domain}`;
}

function likelyDomain(domain) {
  const lower = domain.toLowerCase();
  if (COMMON_DOMAINS.includes(lower) || REAL_NEIGHBOURS.has(lower)) return domain;
  const labels = lower.split('.');
  const ending = MISTYPED_ENDINGS.get(labels.at(-1));
  const fixed = ending === undefined ? lower : [...labels.slice(0, -1), ending].join('.');
  const near = COMMON_DOMAINS.find((common) => isOneSlipAway(fixed, common));
  return near ?? (ending === undefined ? domain : fixed);
}

/** One letter added, lost or changed, or two neighbours swapped. */
function isOneSlipAway(left, right) {
  if (Math.abs(left.length - right.length) > 1 || left === right) return false;
  let same = 0;
  while (left[same] === right[same]) same += 1;
  const isSwap = left[same] === right[same + 1] && left[same + 1] === right[same];
  return (
    left.slice(same + 1) === right.slice(same + 1) ||
    left.slice(same + 1) === right.slice(same) ||
    left.slice(same) === right.slice(same + 1) ||
    (isSwap && left.slice(same + 2) === right.slice(same + 2))
  );
}
