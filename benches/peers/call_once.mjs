// Runs one handler once: its file and its arguments in, its answer on standard output.
import { pathToFileURL } from 'node:url';

const [handler, args] = process.argv.slice(2);
const { execute } = await import(pathToFileURL(handler));
console.log(JSON.stringify(await execute({ args: JSON.parse(args) })));
