import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServerSettings } from '../../src/mcp/settings.ts';

/** The settings of a server that every client may use, with all of its tools. */
export function settingsOf(
  reach: McpServerSettings['reach'],
  more: Partial<McpServerSettings> = {},
): McpServerSettings {
  return { label: 'shelves', reach, tools: null, keys: null, ...more };
}

/** The test server over stdio, and a function that returns the lines that it has noted. */
export function stdioServer(env: Record<string, string> = {}) {
  const file = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'notes');
  const args = ['test/kit/servers/mcp-stdio.mjs', file];
  const reach: McpServerSettings['reach'] = { kind: 'stdio', command: process.execPath, args, env };
  return { reach, notes: () => readFileSync(file, 'utf8').trim().split('\n') };
}
