import { invalidRequest } from '../errors.ts';
import { MEDIA_MARK, type Media } from '../media.ts';
import type { ChatMessage } from '../runner.ts';

/** Without it nothing is a mark, however it is put together with other texts. */
const BEGINNING = /\u{E000}+(?=media)/gu;

/** A text in which nothing can be taken for the mark of an image or a recording. */
export function withoutMarks(text: string): string {
  return text.replace(BEGINNING, '');
}

/**
 * The text that `render` makes of a conversation, with a mark for each of its images and recordings and these in the same
 * order: a template may write messages in another order than they came in, or twice. Marks that come from elsewhere, such
 * as the description of a tool, are taken out. Throws a 400 `ApiError` where the template leaves one out.
 */
export function renderWithMedia(
  messages: ChatMessage[],
  render: (messages: ChatMessage[]) => string,
): { text: string; media: Media[] } {
  // Each mark gets a number, which no client can guess the name of.
  const name = crypto.randomUUID();
  const all: Media[] = [];
  const numbered = messages.map(({ media = [], ...message }) => {
    let number = all.length;
    all.push(...media);
    if (media.length === 0) return message;
    const mark = () => `\u{E000}media ${name} ${number++}\u{E000}`;
    return { ...message, content: message.content?.replaceAll(MEDIA_MARK, mark) ?? null };
  });

  // Texts and, between them, numbers.
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
