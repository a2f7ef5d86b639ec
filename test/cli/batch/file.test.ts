import { describe, expect, it } from 'vitest';
import { endpointOf, filesOfRun, orderedLike } from '../../../src/cli/batch/file.ts';
import { UsageError } from '../../../src/serve/errors.ts';

const line = (id: string, more = {}) => `${JSON.stringify({ custom_id: id, url: '/v1/embeddings', ...more })}\n`;

describe('a file of requests', () => {
  it.each([
    ['night/asked.jsonl', 'night/asked.out.jsonl', 'night/asked.batch.json'],
    ['asked', 'asked.out.jsonl', 'asked.batch.json'],
  ])('%s has its results beside it', (path, results, unfinished) => {
    expect(filesOfRun(path)).toEqual({ results, unfinished });
  });

  it('names its endpoint in the first line that is not empty', () => {
    expect(endpointOf(`\uFEFF\n${line('a')}`, 'x')).toBe('/v1/embeddings');
  });

  it.each(['', '{', '[]', '{"url":1}'])('without an endpoint is a wrong use: %j', (text) => {
    expect(() => endpointOf(text, 'x.jsonl')).toThrow(UsageError);
  });

  it('has results in the order of its requests, and none for a request without', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => line(id, { response: id }));
    expect(orderedLike(['c', 'x', 'a', 'b'].map((id) => line(id)).join(''), `${a}${b}${c}`)).toBe(`${c}${a}${b}`);
  });
});
