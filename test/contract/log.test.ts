import { describe, expect, it } from 'vitest';
import { toLogFields, withFields } from '../../src/contract/log.ts';
import { recordingLog } from '../kit/log.ts';

describe('an error in the log', () => {
  it('is its name and message, its stack, and what caused it', () => {
    const cause = new RangeError('too far');
    const error = new TypeError('broken', { cause });
    expect(toLogFields(error)).toEqual({
      error: 'TypeError: broken',
      stack: error.stack,
      cause: { error: 'RangeError: too far', stack: cause.stack },
    });
  });

  it('is the text of any other thrown value', () => {
    expect(toLogFields('just a word')).toEqual({ error: 'just a word' });
  });

  it('ends even if an error is its own cause', () => {
    const error = new Error('round and round');
    error.cause = error;
    expect(JSON.stringify(toLogFields(error)).match(/round and round/g)?.length).toBeLessThan(20);
  });
});

describe('a log with fields', () => {
  it('has them in every line, even those that are set later', () => {
    const lines: string[] = [];
    const trace: { requestId: string; model?: string } = { requestId: 'r1' };
    const log = withFields(recordingLog(lines), trace);
    log.info('first');
    trace.model = 'tiny';
    log.error('second', { more: 1 });
    expect(lines).toEqual(['first {"requestId":"r1"}', 'second {"requestId":"r1","model":"tiny","more":1}']);
  });
});
