import { describe, expect, it } from 'vitest';
import { MEDIA_MARK, type Media } from '../../src/contract/media.ts';
import type { Prompt } from '../../src/contract/prompt.ts';
import { createAffinityBalancer, describeConversation } from '../../src/pool/affinity.ts';
import { chat } from '../kit/generation.ts';

const free = (id: number) => ({ id, currentUsage: 0 });
const busy = (id: number) => ({ id, currentUsage: 1 });

describe('the choice of a thread', () => {
  it('sends a conversation to the thread that served its beginning', () => {
    const balance = createAffinityBalancer(1);
    balance('ada: hello', [free(1), busy(2)]);
    balance('bob: hello', [busy(1), free(2)]);
    expect(balance('bob: hello again', [free(1), free(2)])?.id).toBe(2);
    expect(balance('ada: hello again', [free(1), free(2)])?.id).toBe(1);
  });

  it('takes any free thread instead of waiting for that one', () => {
    const balance = createAffinityBalancer(1);
    balance('ada: hello', [free(1), free(2)]);
    expect(balance('ada: hello again', [busy(1), free(2)])?.id).toBe(2);
  });

  it('takes none when all slots are taken', () => {
    expect(createAffinityBalancer(1)('x', [busy(1)])).toBeNull();
    expect(createAffinityBalancer(2)('x', [busy(1)])?.id).toBe(1);
  });
});

describe('the text by which a thread is chosen', () => {
  const image = (size: number, byte: number): Media => ({ kind: 'image', bytes: Buffer.alloc(size, byte) });
  const turns = (...media: Media[]) => chat(media.map((one) => ({ role: 'user', content: MEDIA_MARK, media: [one] })));
  const shared = (a: string, b: string) => [...a].findIndex((letter, index) => letter !== b[index]);

  it('begins like that of earlier turns, images included', () => {
    const [first, other] = [image(1000, 1), image(1000, 2)];
    const before = describeConversation({ prompt: turns(first) });
    const after = describeConversation({ prompt: turns(first, other) });
    const strange = describeConversation({ prompt: turns(other, first) });
    expect(shared(after, before)).toBeGreaterThan(shared(after, strange));
  });

  it('stays short, however large its images are', () => {
    expect(describeConversation({ prompt: turns(image(1_000_000, 1)) }).length).toBeLessThan(1000);
  });

  it.each<[string, Prompt]>([
    ['a text', { kind: 'text', text: 'x'.repeat(1_000_000) }],
    ['a gap in a text', { kind: 'infill', prefix: 'x'.repeat(1_000_000), suffix: 'y'.repeat(1_000_000) }],
    ['tokens', { kind: 'tokens', tokens: new Array(1_000_000).fill(7) }],
    ['a long message', chat([{ role: 'user', content: 'x'.repeat(1_000_000) }])],
    ['many messages', chat(new Array(10_000).fill({ role: 'user', content: 'x'.repeat(100) }))],
  ])('is only the beginning of %s', (_, prompt) => {
    expect(describeConversation({ prompt }).length).toBeLessThan(140_000);
  });

  it('begins with the name that the client gives to its conversation', () => {
    const turn = (cacheKey: string, text: string) => describeConversation({ cacheKey, prompt: { kind: 'text', text } });
    expect(shared(turn('ada', 'the time is 9:00'), turn('ada', 'the time is 9:01'))).toBeGreaterThan(
      shared(turn('ada', 'the time is 9:00'), turn('bob', 'the time is 9:00')),
    );
  });

  it('may be that of a plain text', () => {
    expect(describeConversation({ prompt: { kind: 'text', text: 'Once' } })).toContain('Once');
  });
});
