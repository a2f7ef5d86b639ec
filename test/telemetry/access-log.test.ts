import { describe, expect, it } from 'vitest';
import type { Log } from '../../src/contract/log.ts';
import { createAccessLog } from '../../src/telemetry/access-log.ts';
import { chatRecord } from './fixtures.ts';

function collect() {
  const lines: { level: string; message: string; fields: Record<string, unknown> | undefined }[] = [];
  const at = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    void lines.push({ level, message, fields });
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { lines, log };
}

describe('the access log', () => {
  it('has one line a request, with who, what and how much', () => {
    const { lines, log } = collect();
    createAccessLog(log, 'info')?.(chatRecord());
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'request',
        fields: {
          requestId: 'req-1',
          key: 'alice',
          model: 'tiny',
          method: 'POST',
          route: '/v1/chat/completions',
          status: 200,
          ms: 1000,
          promptTokens: 30,
          cachedTokens: 10,
          completionTokens: 5,
          ttftMs: 200,
          queuedMs: 12.3,
          finish: 'stop',
        },
      },
    ]);
  });

  it('leaves out what a request does not have, and names the error that the client got', () => {
    const { lines, log } = collect();
    const none = { promptTokens: 0, firstPiece: 0, queuedMs: 0, finish: null, key: null };
    createAccessLog(
      log,
      'info',
    )?.(chatRecord({ ...none, trace: { requestId: 'req-2' }, status: 404, error: 'model_not_found' }));
    const same = { method: 'POST', route: '/v1/chat/completions', ms: 1000 };
    expect(lines[0]?.fields).toEqual({ ...same, requestId: 'req-2', status: 404, error: 'model_not_found' });
  });

  it.each(['/health', '/ready', '/metrics'])('tells of %s at the level debug alone', (route) => {
    const { lines, log } = collect();
    createAccessLog(log, 'info')?.(chatRecord({ route }));
    expect(lines).toEqual([]);
    createAccessLog(log, 'debug')?.(chatRecord({ route }));
    expect(lines.map(({ level }) => level)).toEqual(['debug']);
  });

  it.each(['warn', 'error', 'silent'])('is none at the level %s', (level) => {
    expect(createAccessLog(collect().log, level)).toBeNull();
  });
});
