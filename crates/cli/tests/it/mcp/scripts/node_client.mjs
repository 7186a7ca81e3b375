// The official TypeScript clients, old line and new, against our server.

import assert from 'node:assert/strict';

const [program, project, line] = process.argv.slice(2);
const server = { command: program, args: ['mcp', '--project', project] };

async function connect() {
  const capabilities = { elicitation: { form: {} } };
  const info = { name: 'node', version: '1' };
  const asked = [];
  const ask = async (request) => {
    asked.push(request.params.message);
    return { action: 'accept', content: { approve: true } };
  };
  if (line === 'v1') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const client = new Client(info, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, ask);
    await client.connect(new StdioClientTransport(server));
    return { client, asked, call: (params, options) => client.callTool(params, undefined, options) };
  }
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const mode = line === 'v2-new' ? { versionNegotiation: { mode: 'auto' } } : {};
  const client = new Client(info, { capabilities, ...mode });
  client.setRequestHandler('elicitation/create', ask);
  await client.connect(new StdioClientTransport(server));
  return { client, asked, call: (params, options) => client.callTool(params, options) };
}

const { client, asked, call } = await connect();
const { tools } = await client.listTools();
assert.ok(tools.some((tool) => tool.name === 'note' && tool.outputSchema));
const said = await call({ name: 'echo', arguments: { text: line } });
assert.deepEqual(said.structuredContent, { said: line });
const steps = [];
await call({ name: 'steps', arguments: {} }, { onprogress: (step) => steps.push(step.message) });
// The clients forget what comes in the same read as the answer, but never change the order.
assert.deepEqual(steps, ['one', 'half', 'two'].slice(0, steps.length));
const noted = await call({ name: 'note', arguments: { text: line } });
assert.ok(noted.structuredContent.n >= 1, JSON.stringify(noted));
assert.equal(asked.length, 1);
const { prompts } = await client.listPrompts();
assert.deepEqual(prompts.map((prompt) => prompt.name), ['greet']);
const greeting = await client.getPrompt({ name: 'greet', arguments: { name: line } });
assert.equal(greeting.messages[0].content.text, `Greet ${line}.`);
assert.equal(greeting.messages[1].content.resource.text, 'Be kind.');
const read = await client.readResource({ uri: 'docs://rules' });
assert.equal(read.contents[0].text, 'Be kind.');
const stop = new AbortController();
const waiting = call({ name: 'wait', arguments: {} }, {
  signal: stop.signal,
  onprogress: () => stop.abort('enough'),
});
await assert.rejects(waiting);
const again = await call({ name: 'echo', arguments: { text: 'after' } });
assert.deepEqual(again.structuredContent, { said: 'after' });
await client.close();
console.log('ok');
