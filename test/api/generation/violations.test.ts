import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { violationFields } from '../../../src/api/generation/violations.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import {
  createContext,
  createFakeRunner,
  done,
  finish,
  post,
  progress,
  readBody,
  streamOf,
  text,
} from '../fixtures.ts';

const broken: GenerationEvent = {
  ...finish(),
  violations: [{ path: '/a', keyword: 'uniqueItems', message: 'has two equal items' }],
};
const told = [{ path: '/a', keyword: 'uniqueItems', message: 'has two equal items' }];

/** An API whose replies end in this way. */
function apiThatEnds(end: GenerationEvent) {
  const runner = createFakeRunner(() => streamOf([progress(1, 1), text('{"a": [1, 1]}'), end, done()]));
  return createApi(createContext({ runner }).context);
}

const hello = { model: 'tiny', messages: [{ role: 'user', content: 'Hello' }] };
const REQUESTS: [path: string, body: object][] = [
  ['/v1/chat/completions', hello],
  ['/v1/responses', { model: 'tiny', input: 'Hello' }],
  ['/v1/messages', { ...hello, max_tokens: 9 }],
  ['/api/chat', hello],
];

describe('what a reply breaks of its schema', () => {
  it.each(REQUESTS)('is told by %s, whole and streamed', async (path, body) => {
    for (const stream of [false, true]) {
      const reply = await readBody(await apiThatEnds(broken)(post(path, { ...body, stream })));
      expect(reply, `stream ${stream}`).toContain(`"schema_violations":${JSON.stringify(told)}`);
    }
  });

  it.each(REQUESTS)('is not spoken of by %s where it is nothing', async (path, body) => {
    for (const stream of [false, true])
      expect(await readBody(await apiThatEnds(finish())(post(path, { ...body, stream })))).not.toContain('violations');
  });

  it('names the call that breaks it', () => {
    const [violation] =
      violationFields({
        violations: [{ call: 1, path: '', keyword: 'not', message: 'is what it must not be' }],
      }).schema_violations ?? [];
    expect(violation).toEqual({ tool_call: 1, path: '', keyword: 'not', message: 'is what it must not be' });
  });
});
