// Handler of count_words: counts the words and characters of a text, and the time to read it.

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

// `args` has passed the schema, so nothing is checked again here; defaults are filled in.
// Replace the counting with your own work. Whatever stands in `data` must fit `returns`.
/** @type {import('../ghosthand').Execute} */
export async function execute({ args }) {
  const words = countWords(args.text);
  const data = {
    words,
    characters: [...args.text].length, // `length` alone would count an emoji twice
    reading_seconds: Math.ceil((words * 60) / args.words_per_minute),
  };
  return { ok: true, data };
}

/** Runs between white space; one without a letter or digit, such as a dash, is no word. */
function countWords(text) {
  return text.split(/\s+/).filter((run) => LETTER_OR_DIGIT.test(run)).length;
}
