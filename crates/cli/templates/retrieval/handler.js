// Handler of {{tool_id}}: looks up a term in a small glossary.

// Replace the glossary with your own source. To read files, the network or the key-value store,
// name them under `capabilities` in schema.json, set `sideEffects` to "read_only", and reach them
// through `context`, which `execute` gets beside `args`: `execute({ args, context })`.
const GLOSSARY = [
  {
    id: 'term:capability',
    title: 'Capability',
    text: 'Something a handler may reach beyond its arguments, such as a host or a folder.',
  },
  {
    id: 'term:contract',
    title: 'Contract',
    text: 'What a tool promises: its arguments, its effects and its limits.',
  },
  {
    id: 'term:handler',
    title: 'Handler',
    text: 'The code that runs when a tool is called.',
  },
  {
    id: 'term:latency-budget',
    title: 'Latency Budget',
    text: 'How long a call should take; a slower one is noted, not stopped.',
  },
  {
    id: 'term:registry',
    title: 'Registry',
    text: 'All the tools that have passed the checks.',
  },
  {
    id: 'term:tool',
    title: 'Tool',
    text: 'A directory with a contract, two documents and a handler.',
  },
];

const TITLE_POINTS = 3;
const TEXT_POINTS = 1;

// `args` has passed the schema: the query is there, and `limit` has its default if none was given.
/** @type {import('../ghosthand').Execute} */
export async function execute({ args }) {
  const wanted = wordsOf(args.query);
  const matches = GLOSSARY.map((entry) => ({ ...entry, score: scoreOf(entry, wanted) }))
    .filter((match) => match.score > 0)
    .sort((a, b) => b.score - a.score) // stable: equal scores keep their order
    .slice(0, args.limit);
  return { ok: true, data: { matches } };
}

function scoreOf({ title, text }, wanted) {
  const titleWords = wordsOf(title);
  const textWords = wordsOf(text);
  let score = 0;
  for (const word of wanted) {
    if (titleWords.has(word)) score += TITLE_POINTS;
    else if (textWords.has(word)) score += TEXT_POINTS;
  }
  return score;
}

/** The different words of a text, in lower case and without punctuation. */
function wordsOf(text) {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
