// Cuts the passage out of a document that answers a query best, at word borders.

import { wordsOf } from './ranking.js';

/**
 * Returns at most `charactersMax` characters of the text around the densest group of terms, with
 * "…" where something was left out. Without a match it is the beginning of the text.
 */
export function snippetOf(markdown, rarity, charactersMax) {
  const text = plainText(markdown);
  if (lengthOf(text) <= charactersMax) return text;
  const words = wordsOf(text);
  const room = charactersMax - 2; // both ends may need an ellipsis
  if (words.length === 0) return `${[...text].slice(0, room).join('')}…`;
  const matches = words.flatMap((word, index) => (rarity.has(word.stem) ? [index] : []));
  let best = { first: 0, last: lastThatFits(text, words, 0, room), weight: 0 };
  for (const first of matches) {
    const last = lastThatFits(text, words, first, room);
    const weight = weightOf(words, first, last, rarity);
    if (weight > best.weight) best = { first, last, weight };
  }
  const lastMatch = matches.filter((index) => index <= best.last).at(-1) ?? best.last;
  const first = best.weight > 0 ? earliestStart(text, words, best.first, lastMatch, room) : 0;
  return cut(text, words, first, lastThatFits(text, words, first, room), room);
}

/** Markdown as a person would read it aloud: no marks, one line. */
function plainText(markdown) {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replace(/[*_`]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Each term counts once, so that a passage with two terms beats one that repeats a single term. */
function weightOf(words, first, last, rarity) {
  const stems = new Set(words.slice(first, last + 1).map((word) => word.stem));
  return [...stems].reduce((sum, stem) => sum + (rarity.get(stem) ?? 0), 0);
}

function lastThatFits(text, words, first, room) {
  const { start } = words[first];
  let last = first;
  while (last + 1 < words.length && fits(text, start, words[last + 1].end, room)) last += 1;
  return last;
}

/**
 * Moves the start back for context, but never so far that the last match falls out. A sentence
 * that begins within reach is the best start; else half of the free room goes in front.
 */
function earliestStart(text, words, first, lastMatch, room) {
  let start = first;
  while (start > 0 && fits(text, words[start - 1].start, words[lastMatch].end, room)) {
    start -= 1;
    if (start === 0 || /[.!?]\s*$/.test(text.slice(words[start - 1].end, words[start].start))) {
      return start;
    }
  }
  return Math.ceil((start + first) / 2);
}

function fits(text, start, end, room) {
  return lengthOf(text.slice(start, end)) <= room;
}

function cut(text, words, first, last, room) {
  const start = first === 0 ? 0 : words[first].start;
  const wordEnd = words[last].end;
  // Closing punctuation belongs to the last word, as long as there is room for it.
  const closedEnd = wordEnd + /^[.,;:!?)”"]*/.exec(text.slice(wordEnd))[0].length;
  const end = fits(text, start, closedEnd, room) ? closedEnd : wordEnd;
  const whole = text.slice(start, end);
  // A single word may be longer than the room; only then is a word itself cut.
  const passage = [...whole].slice(0, room).join('');
  const isCut = passage.length < whole.length || end < text.length;
  return `${start > 0 ? '…' : ''}${passage}${isCut ? '…' : ''}`;
}

/** Characters as JSON Schema counts them: code points, not halves of them. */
function lengthOf(text) {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
