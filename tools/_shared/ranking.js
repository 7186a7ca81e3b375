// Ranks documents for a query: BM25 over title, tags and body, with light English stemming.

/** A word in the title says more about a document than the same word in its body. */
const FIELDS = [
  { name: 'title', weight: 3, lengthEffect: 0.4 },
  { name: 'tags', weight: 2, lengthEffect: 0.2 },
  { name: 'body', weight: 1, lengthEffect: 0.75 },
];
const SATURATION = 1.2; // BM25's k1: how fast a repeated word stops adding

const STOP_WORDS = new Set(
  (
    'a about after all also am an and any are as at be because been before but by can could ' +
    'did do does for from had has have he her here him his how i if in into is it its just ' +
    'me my no nor not of off on or our out over she should so some such tell than that the ' +
    'their them then there these they this those to too under until up us very was we were ' +
    'what when where which while who whom whose why will with would you your'
  ).split(' '),
);

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’]\p{L}+)?/gu;

/** The words of a text with their places, in the form in which they are compared. */
export function wordsOf(text) {
  return [...text.matchAll(WORD)].map((match) => ({
    stem: stemOf(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The terms of a query: different, and without words that stand in every sentence. */
export function termsOf(query) {
  const words = query.match(WORD) ?? [];
  const meaningful = words.filter((word) => !STOP_WORDS.has(plain(word)));
  return [...new Set(meaningful.map(stemOf))];
}

/** Lower case, and without accents, so that "Alund" finds "Ålund". */
function plain(word) {
  return word
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replaceAll('ß', 'ss');
}

/**
 * Cuts the common English endings. It need not give real words: it is enough that the forms of
 * one word meet, so "winding", "winds" and "wind" all become "wind".
 */
export function stemOf(word) {
  let stem = plain(word).replace(/['’]s$/, '').replace(/['’]/g, '');
  if (stem.length < 4) return stem;
  if (stem.endsWith('ies') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/[^siu]s$/.test(stem)) stem = stem.slice(0, -1);
  const ending = /(?:ing|[^e]ed)$/.exec(stem)?.[0];
  if (ending) {
    const root = stem.slice(0, ending === 'ing' ? -3 : -2);
    if (root.length >= 3 && /[aeiouy]/.test(root)) stem = root.replace(/([bdfgmnprt])\1$/, '$1');
  }
  return stem.length > 3 ? stem.replace(/e$/, '') : stem;
}

/**
 * Scores documents of the shape `{ title, body, metadata: { tags } }`. Returns those that hold at
 * least one term, best first, and `rarity`, the weight of each term in this collection.
 */
export function rank(documents, terms) {
  const entries = documents.map((document) => ({ document, fields: countFields(document) }));
  const averages = FIELDS.map(({ name }) =>
    average(entries.map(({ fields }) => fields[name].total)),
  );
  const rarity = new Map(terms.map((term) => [term, rarityOf(term, entries)]));
  const hits = entries
    .map(({ document, fields }) => ({ document, score: scoreOf(fields, terms, averages, rarity) }))
    .filter(({ score }) => score > 0)
    // Equal scores fall back to the id, so that the order never depends on the file system.
    .sort((left, right) => right.score - left.score || compareIds(left.document, right.document));
  return { hits, rarity };
}

function countFields({ title, body, metadata }) {
  return { title: count(title), tags: count(metadata.tags.join(' ')), body: count(body) };
}

function count(text) {
  const counts = new Map();
  const words = wordsOf(text);
  for (const { stem } of words) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return { counts, total: words.length };
}

function average(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}

function rarityOf(term, entries) {
  const holders = entries.filter(({ fields }) =>
    FIELDS.some(({ name }) => fields[name].counts.has(term)),
  ).length;
  return Math.log(1 + (entries.length - holders + 0.5) / (holders + 0.5));
}

function scoreOf(fields, terms, averages, rarity) {
  let score = 0;
  for (const term of terms) {
    let frequency = 0;
    FIELDS.forEach(({ name, weight, lengthEffect }, index) => {
      const { counts, total } = fields[name];
      const relativeLength = averages[index] > 0 ? total / averages[index] : 1;
      const damping = 1 - lengthEffect + lengthEffect * relativeLength;
      frequency += (weight * (counts.get(term) ?? 0)) / damping;
    });
    score += (rarity.get(term) * frequency) / (SATURATION + frequency);
  }
  return score;
}

function compareIds(left, right) {
  return left.id < right.id ? -1 : Number(left.id > right.id);
}
