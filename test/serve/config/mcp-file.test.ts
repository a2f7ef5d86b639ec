import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMcpFile } from '../../../src/serve/config/mcp-file.ts';

const ENV = { TOKEN: 's3cret' };

function read(json: unknown) {
  const path = join(mkdtempSync(join(tmpdir(), 'mcp-file-')), 'mcp.json');
  writeFileSync(path, typeof json === 'string' ? json : JSON.stringify(json));
  return readMcpFile(path, ENV);
}
/** The reference to an environment variable. */
const variable = (name: string) => `\${${name}}`;
const servers = (mcpServers: unknown) => read({ mcpServers });

describe('the file of MCP servers', () => {
  it('has a server over stdio and one over HTTP by their labels, with values out of the environment', () => {
    const files = {
      command: 'npx',
      args: ['-y', 'files'],
      env: { KEY: variable('TOKEN') },
      tools: ['read'],
      keys: ['laptop'],
    };
    const weather = {
      url: 'https://w.example/mcp',
      headers: { Authorization: `Bearer ${variable('TOKEN')}` },
      tools: ['*'],
    };
    expect(servers({ files, weather })).toEqual([
      {
        label: 'files',
        reach: { kind: 'stdio', command: 'npx', args: ['-y', 'files'], env: { KEY: 's3cret' } },
        tools: ['read'],
        keys: ['laptop'],
      },
      {
        label: 'weather',
        reach: { kind: 'http', url: 'https://w.example/mcp', headers: { Authorization: 'Bearer s3cret' } },
        tools: null,
        keys: null,
      },
    ]);
  });

  it('may name no server', () => {
    expect(servers({})).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /is not valid JSON/],
    ['a list', [], /is wrong: must be a JSON object with mcpServers/],
    ['no servers', {}, /is wrong at mcpServers: it is required/],
    ['servers of another form', { mcpServers: [] }, /at mcpServers: must be an object with a server by each label/],
    ['an odd label', { mcpServers: { 'a b': {} } }, /must be named by 1 to 64 letters/],
    ['a server that is none', { mcpServers: { a: 'x' } }, /at a is wrong: must be an object with command or url/],
    ['no command', { mcpServers: { a: { tools: ['x'] } } }, /at a is wrong at command: it is required/],
    ['no tools', { mcpServers: { a: { command: 'x' } } }, /at a is wrong at tools: must name the tools .* \["\*"\]/],
    ['no keys', { mcpServers: { a: { command: 'x', tools: ['*'], keys: [] } } }, /at keys: must name at least one/],
    [
      'both ways',
      { mcpServers: { a: { command: 'x', url: 'http://a', tools: ['*'] } } },
      /at command: there is no such/,
    ],
    ['no URL', { mcpServers: { a: { url: 'x', tools: ['*'] } } }, /at url: must be a URL that begins with http/],
    ['a number', { mcpServers: { a: { command: 'x', env: { A: 1 }, tools: ['*'] } } }, /at env.A: must be a text/],
    [
      'a variable that is not set',
      { mcpServers: { a: { url: 'http://a', headers: { A: variable('NONE') }, tools: ['*'] } } },
      /at a needs the environment variable NONE, which is not set/,
    ],
  ])('is refused with its place for %s', (_, json, message) => {
    expect(() => read(json)).toThrow(message);
  });

  it('is refused without quoting a value, which may be a key', () => {
    const secret = { command: 'x', env: { A: ['s3cret'] }, tools: ['*'] };
    expect(() => servers({ a: secret })).toThrow(/^(?!.*s3cret)/);
  });
});
