import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderWithMedia, withoutMarks } from '../../src/chat/media-marks.ts';
import { MEDIA_MARK, type Media } from '../../src/contract/media.ts';
import type { ChatMessage } from '../../src/contract/prompt.ts';

const image = (byte: number): Media => ({ kind: 'image', bytes: Uint8Array.of(byte) });
const user = (content: string, ...media: Media[]): ChatMessage => ({ role: 'user', content, media });

const join = (messages: ChatMessage[]) => messages.map(({ content }) => content).join('\n');
const count = (text: string) => text.split(MEDIA_MARK).length - 1;

describe('a text without marks', () => {
  it.each([['an ordinary text'], ['media'], ['\u{E000} alone'], ['']])('is left as it is: %j', (text) => {
    expect(withoutMarks(text)).toBe(text);
  });

  it('has no mark, whatever its parts, and makes none when it is joined with others', () => {
    const piece = fc.constantFrom('\u{E000}', 'media', 'med', 'ia', 'm', ' ', MEDIA_MARK);
    const texts = fc.array(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(texts, (written) => {
        const freed = written.map(withoutMarks);
        for (const text of freed) expect(count(text)).toBe(0);
        // The only marks are those that join the texts.
        expect(count(freed.join(MEDIA_MARK))).toBe(written.length - 1);
      }),
    );
  });
});

describe('a conversation with media', () => {
  const [a, b, c] = [image(1), image(2), image(3)];
  const conversation = [user(`${MEDIA_MARK}one${MEDIA_MARK}`, a, b), user('two'), user(`three${MEDIA_MARK}`, c)];

  it('is the text of the template, with marks and media in the same order', () => {
    expect(renderWithMedia(conversation, join)).toEqual({
      text: `${MEDIA_MARK}one${MEDIA_MARK}\ntwo\nthree${MEDIA_MARK}`,
      media: [a, b, c],
    });
  });

  it('has its media in the order in which the template writes the messages', () => {
    const { media } = renderWithMedia(conversation, (messages) => join(messages.toReversed()));
    expect(media).toEqual([c, a, b]);
  });

  it('has its media twice if the template writes a message twice', () => {
    const { text, media } = renderWithMedia(conversation.slice(2), (messages) => join([...messages, ...messages]));
    expect(text).toBe(`three${MEDIA_MARK}\nthree${MEDIA_MARK}`);
    expect(media).toEqual([c, c]);
  });

  it('is refused if the template leaves one out', () => {
    expect(() => renderWithMedia(conversation, (messages) => join(messages.slice(1)))).toThrow(
      expect.objectContaining({
        data: expect.objectContaining({ status: 400, param: 'messages', code: 'unsupported_content' }),
      }),
    );
  });

  it('shows the template nothing but text', () => {
    renderWithMedia(conversation, (messages) => {
      expect(messages.map((message) => Object.keys(message))).toEqual(messages.map(() => ['role', 'content']));
      return join(messages);
    });
  });

  it('has no marks but its own, even if the template or a client writes some', () => {
    let seen = '';
    const { text, media } = renderWithMedia(conversation.slice(2), (messages) => {
      seen = messages[0]?.content?.slice('three'.length) ?? '';
      return `a tool: ${MEDIA_MARK}, ${join(messages)}`;
    });
    expect(text).toBe(`a tool: media\u{E000}, three${MEDIA_MARK}`);
    expect(media).toEqual([c]);
    // A client that has seen the marks of an earlier prompt can't use them in the next.
    expect(renderWithMedia([user('x')], () => seen)).toMatchObject({ media: [] });
    expect(renderWithMedia([user('x')], () => seen).text).not.toContain('\u{E000}media');
  });

  it('may have no media', () => {
    expect(renderWithMedia([user('x'), { role: 'assistant', content: null }], join)).toEqual({
      text: 'x\n',
      media: [],
    });
  });
});
