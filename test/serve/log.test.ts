import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/serve/log.ts';

describe('the log', () => {
  it('has one listener for the end of the process, however many servers there are', () => {
    createLog({ logLevel: 'silent', logFormat: 'json' });
    const before = process.listenerCount('exit');
    for (let server = 0; server < 20; server++) createLog({ logLevel: 'silent', logFormat: 'json' });
    expect(process.listenerCount('exit')).toBe(before);
  });
});
