import { invalidRequest } from '../contract/errors.ts';
import type { ChatMessage } from '../contract/prompt.ts';
import type { ChatFormat } from './formats/format.ts';
import { endsInReasoning } from './formats/index.ts';

/** Renders a conversation with the model's template. If `begins` is true, the beginning of a reply is added. */
type Render = (messages: ChatMessage[], begins: boolean) => string;

/** The part of a reply that is continued. */
export type Continued = 'content' | 'reasoning';

/** Returns the part in which a message ends: a message without text ends in its reasoning. */
export function continuedPart({ content }: ChatMessage): Continued {
  return content ? 'content' : 'reasoning';
}

/**
 * Renders a conversation up to the very end of its last message, so that the model goes on there. Throws a 400
 * `ApiError` if the template leaves that message out.
 */
export function renderContinued(messages: ChatMessage[], format: ChatFormat, render: Render): string {
  const before = messages.slice(0, -1);
  const last = messages.at(-1);
  if (!last) return render(messages, true);
  const { content, reasoning_content: thoughts = '' } = last;
  if (continuedPart(last) === 'content') return upToEnd(before, { ...last, content: content ?? '' }, render);
  // Many templates leave out the reasoning of earlier messages, so it is written here, as the model writes it.
  const prompt = render(before, true);
  if (endsInReasoning(prompt, format)) return prompt + thoughts;
  const { open = '', gap = '' } = format.reasoning[0] ?? {};
  return prompt + open + gap + thoughts;
}

/** The template may write something after a message. A mark shows where the message itself ends. */
function upToEnd(before: ChatMessage[], last: ChatMessage & { content: string }, render: Render): string {
  const mark = `\u{E002}${crypto.randomUUID()}`;
  const text = render([...before, { ...last, content: last.content + mark }], false);
  const end = text.lastIndexOf(mark);
  if (end >= 0) return text.slice(0, end);
  throw invalidRequest(
    "The model's chat template can not go on with the last message.",
    'continue_final_message',
    'unsupported_parameter',
  );
}
