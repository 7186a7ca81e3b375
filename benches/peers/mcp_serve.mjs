// Serves one trivial tool with the TypeScript SDK over HTTP on this machine; prints the port.
import { createServer } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'add', version: '1.0.0' });
  const inputSchema = z.object({ a: z.number(), b: z.number() });
  server.registerTool('add', { description: 'Adds.', inputSchema }, async ({ a, b }) => {
    const sum = { sum: a + b };
    return { content: [{ type: 'text', text: JSON.stringify(sum) }], structuredContent: sum };
  });
  return server;
});
const door = createServer(toNodeHandler(handler));
door.listen(0, '127.0.0.1', () => console.log(door.address().port));
