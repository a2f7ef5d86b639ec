import { describe, expect, it } from 'vitest';
import { callTool } from '../../../src/api/mcp/call.ts';
import { recordingLog, silentLog } from '../../kit/log.ts';
import { mcpServer, mcpTool } from './fixtures.ts';

const tool = mcpTool('add');
const live = () => new AbortController().signal;
/** A call that ends only when its signal aborts. */
const endless = mcpServer('slow', [tool], {
  call: (_, __, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
});

describe('a call of a tool', () => {
  it('is a line of the log, without its arguments and its result', async () => {
    const lines: string[] = [];
    const server = mcpServer('shelves', [tool]);
    const options = { ms: 1000, signal: live(), log: recordingLog(lines) };
    expect(await callTool({ server, tool }, '{"secret":"é"}', options)).toEqual({
      text: 'add {"secret":"é"}',
      failed: false,
    });
    expect(lines).toEqual([
      expect.stringMatching(
        /^called a tool of an MCP server \{"server":"shelves","tool":"add","ms":\d+,"bytes":19,"failed":false\}$/,
      ),
    ]);
  });

  it('fails without a call if its arguments are no JSON object', async () => {
    const server = mcpServer('shelves', [tool]);
    for (const json of ['', '{"n":', '[]', '5']) {
      const options = { ms: 1000, signal: live(), log: silentLog };
      expect(await callTool({ server, tool }, json, options)).toEqual({
        text: 'The arguments are not a JSON object.',
        failed: true,
      });
    }
    expect(server.calls).toEqual([]);
  });

  it('is cancelled after its time, which is a result', async () => {
    expect(await callTool({ server: endless, tool }, '{}', { ms: 1, signal: live(), log: silentLog })).toEqual({
      text: 'The call was stopped after 0 s.',
      failed: true,
    });
  });

  it('is cancelled with its request', async () => {
    const stop = new AbortController();
    const call = callTool({ server: endless, tool }, '{}', { ms: 60_000, signal: stop.signal, log: silentLog });
    stop.abort(new Error('left'));
    await expect(call).rejects.toThrow('left');
  });
});
