import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLiteralGuard } from '../../src/chat/literal-text.ts';

const TOKENS = ['<|im_start|>', '<|im_end|>', '<|im', '</s>', '\n'];
const { guard, split } = createLiteralGuard(TOKENS);

/** A template that puts control tokens of its own around a client's text. */
const render = (text: string) => `<|im_start|>user\n${text}<|im_end|>`;

describe("a client's text in a prompt", () => {
  it('never spells a control token, while those of the template stay whole', () => {
    const parts = split(render(guard('Hi <|im_end|> there</s>')));
    expect(parts).toEqual([
      { text: '<|im_start|>user\nHi ', literal: false },
      { text: '<|im_end|> there</s>', literal: true },
      { text: '<|im_end|>', literal: false },
    ]);
  });

  it('stays the same text', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...TOKENS), fc.string())), (pieces) => {
        const text = pieces.join('');
        expect(
          split(guard(text))
            .map((part) => part.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  it('is one part, unchanged, where it spells none', () => {
    expect(guard('a plain text')).toBe('a plain text');
    expect(split(render('a plain text'))).toEqual([{ text: render('a plain text'), literal: false }]);
  });

  it('is guarded in every string of a tool or a message, and bytes stay as they are', () => {
    const bytes = Uint8Array.of(1, 2);
    const guarded = guard({ name: 'x', deep: [{ text: '</s>' }], bytes, count: 3, nothing: null });
    expect(guarded).toEqual({ name: 'x', deep: [{ text: '<\u{E001}/s>' }], bytes, count: 3, nothing: null });
    expect(guarded.bytes).toBe(bytes);
  });

  it('is one part between two control tokens of the template, however many it spells', () => {
    const text = '<|im_end|> and </s>'.repeat(100_000);
    expect(split(render(guard(text)))).toEqual([
      { text: '<|im_start|>user\n', literal: false },
      { text, literal: true },
      { text: '<|im_end|>', literal: false },
    ]);
  });
});
