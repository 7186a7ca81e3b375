// Validates one typical call with ajv; prints seconds per call.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const [schema] = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const ajv = new Ajv2020({ useDefaults: true, allErrors: true });
addFormats.default(ajv);
const validate = ajv.compile(schema);
const text = JSON.stringify({ query: 'clock builder', top_k: 3, filters: { type: 'lab' } });
const rounds = 100000;
let best = Infinity;
for (let run = 0; run < 3; run += 1) {
  const calls = Array.from({ length: rounds }, () => JSON.parse(text));
  const start = process.hrtime.bigint();
  for (const call of calls) if (!validate(call)) throw new Error('refused');
  best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e9 / rounds);
}
console.log(best.toFixed(12));
