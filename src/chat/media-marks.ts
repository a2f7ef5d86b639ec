import { invalidRequest } from '../contract/errors.ts';
import { MEDIA_MARK, type Media } from '../contract/media.ts';
import type { ChatMessage } from '../contract/prompt.ts';

/** The start of a mark. A text without it has no mark, and makes none when it is joined with other texts. */
const BEGINNING = /\u{E000}+(?=media)/gu;

/** Removes from a text every mark of an image or a recording. */
export function withoutMarks(text: string): string {
  return text.replace(BEGINNING, '');
}

/**
 * Renders a conversation that may hold images and recordings. Returns the text, with one mark for each of them, and the
 * media in the order of the marks: a template may write messages in another order, or twice. Marks in other texts, such
 * as the description of a tool, are removed. Throws a 400 `ApiError` if the template leaves out an image or a
 * recording.
 */
export function renderWithMedia(
  messages: ChatMessage[],
  render: (messages: ChatMessage[]) => string,
): { text: string; media: Media[] } {
  // Each mark gets a number, and a random name that no client can guess.
  const name = crypto.randomUUID();
  const all: Media[] = [];
  const numbered = messages.map(({ media = [], ...message }) => {
    let number = all.length;
    all.push(...media);
    if (media.length === 0) return message;
    const mark = () => `\u{E000}media ${name} ${number++}\u{E000}`;
    return { ...message, content: message.content?.replaceAll(MEDIA_MARK, mark) ?? null };
  });

  // Texts at even places, the numbers of the marks between them at odd places.
  const pieces = render(numbered).split(new RegExp(`\u{E000}media ${name} (\\d+)\u{E000}`));
  const texts = pieces.filter((_, index) => index % 2 === 0);
  const numbers = pieces.filter((_, index) => index % 2 === 1).map(Number);
  if (new Set(numbers).size < all.length) {
    throw invalidRequest(
      "The model's chat template leaves out an image or a recording of this conversation.",
      'messages',
      'unsupported_content',
    );
  }
  return {
    text: texts.map(withoutMarks).join(MEDIA_MARK),
    media: numbers.flatMap((number) => all[number] ?? []),
  };
}
