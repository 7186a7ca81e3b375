// Answers framed calls (u32 length, JSON) over standard input and output until they end.
// All calls share this process and its state.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, notes] = process.argv.slice(2);
const file = await open(notes, 'a');
const handlers = new Map([['note', note]]);

// A line that is on the disk before the answer goes out.
async function note({ args }) {
  await file.appendFile(`${JSON.stringify(args)}\n`);
  await file.datasync();
  return { ok: true, data: { sum: args.a + args.b } };
}

async function handlerOf(name) {
  if (!handlers.has(name)) {
    const module = await import(pathToFileURL(join(tools, name)));
    handlers.set(name, module.execute);
  }
  return handlers.get(name);
}

async function answer({ id, handler, args }) {
  const execute = handlers.get(handler) ?? (await handlerOf(handler));
  const body = Buffer.from(JSON.stringify({ id, answer: await execute({ args }) }));
  const frame = Buffer.allocUnsafe(4 + body.length);
  frame.writeUInt32LE(body.length);
  body.copy(frame, 4);
  process.stdout.write(frame);
}

let rest = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
  while (rest.length >= 4) {
    const end = 4 + rest.readUInt32LE();
    if (rest.length < end) break;
    answer(JSON.parse(rest.toString('utf8', 4, end)));
    rest = rest.subarray(end);
  }
});
process.stdin.on('end', () => process.exit(0));
