import { hermes } from '../../../src/core/chat/formats/hermes.ts';
import { type ChatTemplate, createChatTemplate } from '../../../src/core/chat/template.ts';
import type { ChatMessage } from '../../../src/core/runner.ts';
import { pythonJson } from './json.ts';
import type { Conversation } from './mix.ts';

/** A piece of a conversation as the model reads it, and whether it is one to be learnt. */
export interface Span {
  text: string;
  learnt: boolean;
}

const ANSWER = '<|im_start|>assistant\n';
const END = '<|im_end|>';

/** Renders conversations by the template that the model is served with, the last reply as the model has to write it. */
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
