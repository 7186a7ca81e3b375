#!/usr/bin/env node
// Ghosthand as the client that the conformance suite tests: it imports what the server at the
// address has and calls each tool, and logs in when it is told to. GHOSTHAND is the program;
// the address is the last argument.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT || '{}');
const LOGINS_MAX = 2;
let logins = 0;

const project = mkdtempSync(join(tmpdir(), 'conformance-'));
mkdirSync(join(project, 'tools'));
const settings = { url: process.argv.at(-1), ask: 'never', questions: 'defaults' };
if (scenario.startsWith('auth/')) {
  settings.auth = 'oauth';
  // The document that the suite knows; a server that takes none is registered with.
  settings.client_id = context.client_id ?? 'https://conformance-test.local/client-metadata.json';
  if (context.client_secret) settings.client_secret_env = 'CLIENT_SECRET';
  if (scenario.startsWith('auth/client-credentials')) settings.auth = 'client_credentials';
}
const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
writeFileSync(join(project, 'ghosthand.toml'), `[mcp.far]\n${lines.join('\n')}\n`);

// Runs the program; `see` gets each line it prints, as soon as it does.
function ghosthand(args, see = () => {}) {
  const env = {
    ...process.env, XDG_CONFIG_HOME: join(project, 'config'), NO_COLOR: '1',
    CLIENT_SECRET: context.client_secret ?? '',
  };
  const child = spawn(process.env.GHOSTHAND, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '', err = '', seen = 0;
  child.stdout.on('data', (bytes) => {
    out += bytes;
    for (const line of out.slice(seen).split('\n').slice(0, -1)) {
      seen += line.length + 1;
      see(line);
    }
  });
  child.stderr.on('data', (bytes) => { err += bytes; });
  return new Promise((resolve) => child.on('close', (code) => {
    console.error(`$ ghosthand ${args.join(' ')} → ${code}\n${out}${err}`);
    resolve({ code, said: out + err });
  }));
}

// A person who agrees to everything: follows the link to wherever it leads.
async function login() {
  let page = Promise.resolve();
  const done = await ghosthand(['mcp', 'login', 'far', '--no-browser'], (line) => {
    if (line.startsWith('http')) page = fetch(line).then((answer) => answer.text()).catch(() => {});
  });
  await page;
  return done.code === 0;
}

// Runs the program, and does what it says when it says that a login is missing.
async function patiently(args) {
  for (;;) {
    const ran = await ghosthand(args);
    const wants = ran.said.includes('ghosthand mcp login far');
    if (ran.code === 0 || !wants || logins++ >= LOGINS_MAX || !await login()) return ran;
  }
}

// The suite starts all its clients at once; two of them work for each processor.
async function turn() {
  for (;;) {
    for (let slot = 0; slot < 2 * availableParallelism(); slot++) {
      const taken = join(process.cwd(), `slot-${slot}`);
      try {
        mkdirSync(taken);
        return taken;
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const seen = {};
function argumentsOf(tool) {
  const given = context.toolCalls?.filter((call) => call.name === tool.name);
  // What does not fit the schema never leaves us, and a null does not; it is left out.
  const said = (args) => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  if (given?.length) return given.map((call) => said(call.arguments));
  const properties = tool.inputSchema.properties ?? {};
  if ('a' in properties && 'b' in properties) return [{ a: 5, b: 3 }];
  if ('schema' in properties) return [{ schema: Object.values(seen)[0] }];
  const sample = { string: 'text', integer: 1, number: 1, boolean: true, object: {}, array: [] };
  const required = (tool.inputSchema.required ?? []).map((name) => [name, sample[properties[name]?.type] ?? 'text']);
  return [Object.fromEntries(required)];
}

const slot = await turn();
const imported = await patiently(['mcp', 'import', 'far', '--yes']);
let code = imported.code;
if (code === 0) {
  const pinned = JSON.parse(readFileSync(join(project, 'mcp.lock'), 'utf8')).servers.far;
  for (const tool of Object.values(pinned)) {
    seen[tool.name] = tool.inputSchema;
    for (const args of argumentsOf(tool)) {
      const called = await patiently(['mcp', 'call', 'far', tool.name, JSON.stringify(args)]);
      code ||= called.code;
    }
  }
}
rmSync(project, { recursive: true });
rmSync(slot, { recursive: true });
process.exitCode = code;
