// @module-tag slow
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Log } from '../../src/contract/log.ts';
import { MOST_RESPONSE_BYTES } from '../../src/mcp/limited-fetch.ts';
import { createMcpServer } from '../../src/mcp/server.ts';
import type { McpServerSettings } from '../../src/mcp/settings.ts';
import { eventually } from '../kit/eventually.ts';
import { recordingLog, silentLog } from '../kit/log.ts';
import { startMcpServer } from '../kit/servers/mcp-server.ts';
import { settingsOf, stdioServer } from './fixtures.ts';

const live = () => new AbortController().signal;

function serverOf(settings: McpServerSettings, log: Log = silentLog, restartPauseMs = 0) {
  const server = createMcpServer(settings, { version: '1', log, restartPauseMs });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

describe('an MCP server over stdio', () => {
  it('lists its tools with their schemas, and says which change nothing', async () => {
    const { tools, error } = await serverOf(settingsOf(stdioServer().reach)).list(live());
    expect(error).toBeNull();
    expect(tools.map(({ name }) => name)).toEqual(['shelf', 'wait', 'break', 'die', 'variables', 'rename']);
    expect(tools[0]).toMatchObject({
      description: 'Tells what is on a shelf.',
      parameters: { type: 'object', required: ['shelf'] },
      readOnly: true,
    });
    expect(tools[1]?.readOnly).toBe(false);
  });

  it('lists only the tools that the configuration allows', async () => {
    const { tools } = await serverOf(settingsOf(stdioServer().reach, { tools: ['shelf', 'no such tool'] })).list(
      live(),
    );
    expect(tools.map(({ name }) => name)).toEqual(['shelf']);
  });

  it('lists a new tool once the server has told of it', async () => {
    const server = serverOf(settingsOf(stdioServer().reach));
    await server.list(live());
    await server.call('rename', {}, live());
    await eventually(async () => {
      const { tools } = await server.list(live());
      expect(tools.map(({ name }) => name)).toContain('renamed');
    });
  });

  it('is started once for all calls, and not before the first', async () => {
    const { reach, notes } = stdioServer();
    const server = serverOf(settingsOf(reach));
    expect(notes).toThrow();
    const calls = [1, 2].map((shelf) => server.call('shelf', { shelf }, live()));
    expect(await Promise.all(calls)).toEqual([
      { text: 'Shelf 1 has 3 books.', failed: false },
      { text: 'Shelf 2 has 3 books.', failed: false },
    ]);
    expect(notes()).toEqual(['started', 'shelf 1', 'shelf 2']);
  });

  it('tells a tool that fails, and arguments that it does not take', async () => {
    const server = serverOf(settingsOf(stdioServer().reach));
    expect(await server.call('break', {}, live())).toEqual({ text: 'The tool is broken.', failed: true });
    const wrong = await server.call('shelf', { shelf: 'no' }, live());
    expect(wrong).toMatchObject({ failed: true, text: expect.stringContaining('shelf') });
  });

  it('is told that a call is cancelled', async () => {
    const { reach, notes } = stdioServer();
    const server = serverOf(settingsOf(reach));
    const stop = new AbortController();
    const call = server.call('wait', {}, stop.signal);
    await eventually(() => expect(notes()).toContain('wait'));
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await eventually(() => expect(notes()).toContain('cancelled'));
  });

  it('fails the call during which it dies, and is started again for the next', async () => {
    const { reach, notes } = stdioServer();
    const server = serverOf(settingsOf(reach));
    expect(await server.call('die', {}, live())).toEqual({ text: 'The MCP server has ended.', failed: true });
    expect(await server.call('shelf', { shelf: 1 }, live())).toMatchObject({ failed: false });
    expect(notes()).toEqual(['started', 'started', 'shelf 1']);
  });

  it('is started again after a pause only', async () => {
    const pauseMs = 1500;
    const server = serverOf(settingsOf(stdioServer().reach), undefined, pauseMs);
    const began = performance.now();
    await server.call('die', {}, live());
    await server.call('shelf', { shelf: 1 }, live());
    expect(performance.now() - began).toBeGreaterThan(pauseMs);
  });

  it('fails where its command can not be started, which only the log explains', async () => {
    const lines: string[] = [];
    const server = serverOf(
      settingsOf({ kind: 'stdio', command: 'no-such-command', args: [], env: {} }),
      recordingLog(lines),
    );
    const error = 'The MCP server can not be reached.';
    expect(await server.list(live())).toEqual({ tools: [], error });
    expect(await server.call('shelf', {}, live())).toEqual({ text: error, failed: true });
    expect(lines.join()).toContain('no-such-command');
  });

  it("gets the variables of its configuration, and none of Paddock's", async () => {
    process.env.PADDOCK_SECRET = 'x';
    onTestFinished(() => {
      delete process.env.PADDOCK_SECRET;
    });
    const server = serverOf(settingsOf(stdioServer({ SHELF_KEY: 'y' }).reach));
    const { text } = await server.call('variables', {}, live());
    expect(text.split(' ')).toContain('SHELF_KEY');
    expect(text.split(' ')).toContain('PATH');
    expect(text).not.toContain('PADDOCK_SECRET');
  });

  it('ends with Paddock', async () => {
    const server = serverOf(settingsOf(stdioServer().reach));
    await server.call('shelf', { shelf: 1 }, live());
    await server[Symbol.asyncDispose]();
    expect(await server.call('shelf', { shelf: 1 }, live())).toMatchObject({ failed: true });
  });
});

describe('an MCP server over HTTP', () => {
  const http = (url: string, headers: Record<string, string> = {}) => settingsOf({ kind: 'http', url, headers });

  it('lists and calls its tools, with the headers of the configuration', async () => {
    await using weather = await startMcpServer({ key: 'Bearer s3cret' });
    const server = serverOf(http(weather.url, { authorization: 'Bearer s3cret' }));
    expect((await server.list(live())).tools.map(({ name }) => name)).toEqual(['get_weather', 'wait', 'break']);
    expect(await server.call('get_weather', { city: 'Oslo' }, live())).toEqual({
      text: 'It rains in <b>Oslo</b>.',
      failed: false,
    });
    expect(weather.calls).toEqual([['get_weather', { city: 'Oslo' }]]);
  });

  it('goes on in a new session when the server has restarted', async () => {
    await using weather = await startMcpServer();
    const server = serverOf(http(weather.url));
    await server.list(live());
    await weather.forget();
    expect(await server.call('get_weather', { city: 'Oslo' }, live())).toMatchObject({ failed: false });
  });

  it('fails a call whose answer is too long', async () => {
    const long = 'x'.repeat(MOST_RESPONSE_BYTES);
    await using weather = await startMcpServer({ words: long });
    const result = await serverOf(http(weather.url)).call('get_weather', { city: 'Oslo' }, live());
    expect(result).toEqual({ text: 'The MCP server has ended.', failed: true });
  });

  it('fails the call during which it ends, and is asked anew by the next', async () => {
    const weather = await startMcpServer();
    const server = serverOf(http(weather.url));
    const call = server.call('wait', {}, live());
    await eventually(() => expect(weather.calls).toEqual([['wait', {}]]));
    weather.kill();
    expect(await call).toEqual({ text: 'The MCP server has ended.', failed: true });
    expect(await server.call('get_weather', { city: 'Oslo' }, live())).toMatchObject({ failed: false });
    await weather.stop();
  });

  it('is told that a call is cancelled', async () => {
    await using weather = await startMcpServer();
    const server = serverOf(http(weather.url));
    const stop = new AbortController();
    const call = server.call('wait', {}, stop.signal);
    await eventually(() => expect(weather.calls).toEqual([['wait', {}]]));
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await eventually(() => expect(weather.cancelled).toEqual(['wait']));
  });

  it('says that it takes no other credentials, and that nothing is there, without the address', async () => {
    await using weather = await startMcpServer({ key: 'Bearer s3cret' });
    expect((await serverOf(http(weather.url)).list(live())).error).toBe(
      'The MCP server does not take the credentials: it answers with 401.',
    );
    const nothing = await serverOf(http('http://127.0.0.1:9/mcp')).list(live());
    expect(nothing.error).toBe('The MCP server can not be reached.');
  });
});
