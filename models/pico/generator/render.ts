import { hermes } from '../../../src/chat/formats/families/hermes.ts';
import { type ChatTemplate, createChatTemplate } from '../../../src/chat/template.ts';
import type { ChatMessage } from '../../../src/contract/prompt.ts';
import { pythonJson } from './json.ts';
import type { Conversation } from './mix.ts';

/** A piece of a conversation's text. Training learns to write the pieces that are `learnt`. */
export interface Span {
  text: string;
  learnt: boolean;
}

const ANSWER = '<|im_start|>assistant\n';
const END = '<|im_end|>';

/**
 * Returns a function that renders conversations with the chat template of the served model, so that training has the
 * same prompts as serving.
 */
export function createRenderer(templateSource: string): (conversation: Conversation) => Span[] {
  const template: ChatTemplate = createChatTemplate(templateSource, { bos: '', eos: END });
  return ({ messages, tools }) => {
    const last = messages.at(-1);
    if (last?.role !== 'assistant') throw new Error('a conversation ends with a reply');
    const text = `${template(messages.slice(0, -1), tools, {})}${replyText(last)}${END}\n`;
    return text.split(ANSWER).flatMap((part, index) => {
      if (index === 0) return { text: part, learnt: false };
      const end = part.indexOf(END) + END.length;
      return [
        { text: ANSWER, learnt: false },
        { text: part.slice(0, end), learnt: true },
        { text: part.slice(end), learnt: false },
      ];
    });
  };
}

function replyText({ content, tool_calls: calls = [] }: ChatMessage): string {
  const written = calls.map(({ function: { name, arguments: json } }) => ({
    name,
    arguments: pythonJson(JSON.parse(json)),
  }));
  return (content ?? '') + (written.length > 0 ? hermes.writeCalls(written) : '');
}
