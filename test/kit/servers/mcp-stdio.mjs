// An MCP server over stdio, made with the official SDK, for tests: `node mcp-stdio.mjs [file]`. It appends a line to the
// file for its start, for each call and for each cancelled call.
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const [, , file] = process.argv;
/** @param {string} line */
const note = (line) => {
  if (file !== undefined) appendFileSync(file, `${line}\n`);
};
/** @param {string} text */
const say = (text) => ({ content: [{ type: /** @type {const} */ ('text'), text }] });

const server = new McpServer({ name: 'test-tools', title: 'Test tools', version: '1' });

server.registerTool(
  'shelf',
  {
    description: 'Tells what is on a shelf.',
    inputSchema: { shelf: z.int().min(1).max(900) },
    annotations: { readOnlyHint: true },
  },
  async ({ shelf }) => {
    note(`shelf ${shelf}`);
    return say(`Shelf ${shelf} has 3 books.`);
  },
);
server.registerTool('wait', { description: 'Waits until it is cancelled.' }, async ({ signal }) => {
  note('wait');
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  note('cancelled');
  return say('');
});
server.registerTool('break', { description: 'Fails.' }, async () => ({ isError: true, ...say('The tool is broken.') }));
server.registerTool('die', { description: 'Ends the server.' }, async () => process.exit(1));
server.registerTool('variables', { description: 'Names the variables of the process.' }, async () =>
  say(Object.keys(process.env).join(' ')),
);
server.registerTool('rename', { description: 'Adds a tool.' }, async () => {
  server.registerTool('renamed', { description: 'Is new.' }, async () => say('new'));
  return say('done');
});

await server.connect(new StdioServerTransport());
note('started');
