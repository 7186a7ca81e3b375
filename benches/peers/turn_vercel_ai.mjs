// Makes turns with a tool through the Vercel AI SDK: address, rounds, lanes, turns of a lane.
// Prints seconds per round of turns (one lane: the middle turn), then the most MB held.
import { readFileSync } from 'node:fs';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';

const [address, ...counts] = process.argv.slice(2);
const [rounds, lanes, turns] = counts.map(Number);
const model = createOpenAICompatible({ name: 'bench', baseURL: address }).chatModel('bench');
const number = { type: 'integer', minimum: 0, description: 'A number.' };
const add = () => tool({
  description: 'Add two numbers.',
  inputSchema: jsonSchema({
    type: 'object', additionalProperties: false, required: ['a', 'b'],
    properties: { a: number, b: number },
  }),
  execute: async ({ a, b }) => ({ sum: a + b }),
});
const names = ['add_native', 'add_script', 'note_native', 'wait_script'];
const tools = Object.fromEntries(names.map((name) => [name, add()]));

async function turn() {
  const start = performance.now();
  const { text } = await generateText({
    model, tools, system: 'You are brief.', prompt: 'What is the sum?', stopWhen: stepCountIs(8),
  });
  if (text !== 'There it is.') throw new Error(text);
  return (performance.now() - start) / 1000;
}

async function lane() {
  const times = [];
  for (let made = 0; made < turns; made += 1) times.push(await turn());
  return times.sort((one, other) => one - other);
}

await turn();
for (let round = 0; round < rounds; round += 1) {
  const start = performance.now();
  const [first] = await Promise.all(Array.from({ length: lanes }, lane));
  const middle = first[Math.floor(first.length / 2)];
  console.log(lanes === 1 ? middle : (performance.now() - start) / 1000);
}
// Not `maxRSS`: that one begins with what the parent held when it started us.
const [, held] = readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s+(\d+)/);
console.log(held / 1024);
