import { unsupportedParameter } from '../errors.ts';
import type { Media } from '../media.ts';
import type { ChatPrompt, GenerationRequest } from '../runner.ts';
import type { ReplyParser } from './formats/format.ts';
import { detectFormat, endsInReasoning } from './formats/index.ts';
import { renderWithMedia, withoutMarks } from './media-marks.ts';
import { replyGrammar } from './reply-grammar.ts';
import { createChatTemplate } from './template.ts';
import { allowsSeveralCalls, visibleTools, withTools } from './tools.ts';

/** What the chat layer needs to know of a loaded model. */
export interface ModelTraits {
  chatTemplate: string | undefined;
  /** Special tokens as text, '' where the model has none. */
  bos: string;
  eos: string;
  /** The tokens around the gap that an infilling model fills; null for a model that can't. */
  infill: { prefix: string; suffix: string; middle: string } | null;
}

/** A request brought down to text in and text out. */
export interface Prepared {
  prompt: string | number[];
  /** What stands at each `MEDIA_MARK` of the prompt. */
  media: Media[];
  grammar: string | null;
  marks: string[];
  /** Makes the reader of one choice's reply; null where the text is the reply. */
  createParser: (() => ReplyParser) | null;
  /** Whether a reply may have several calls. */
  severalCalls: boolean;
}

/** Turns requests into what an engine runs. It throws 400 `ApiError`s for what the model's template does not take. */
export function createPreparer(traits: ModelTraits): (request: GenerationRequest) => Prepared {
  const template = createChatTemplate(traits.chatTemplate, traits);
  const format = detectFormat(traits.chatTemplate);

  const prepareChat = (chat: ChatPrompt, { replyFormat }: GenerationRequest): Prepared => {
    const tools = visibleTools(chat);
    const grammar = replyGrammar(chat, replyFormat, format);
    const { text, media } = renderWithMedia(chat.messages, (messages) => {
      const conversation = withTools(messages, tools, traits.chatTemplate, format);
      return template(conversation.messages, conversation.tools, chat.templateKwargs);
    });
    const thinking = endsInReasoning(text, format);
    const close = format.reasoning.find(({ open }) => text.trimEnd().endsWith(open))?.close;
    return {
      // A grammar leaves no room to think: reasoning that the template has begun is ended at once.
      prompt: thinking && grammar !== null ? `${text.trimEnd()}\n${close}\n\n` : text,
      media,
      grammar,
      marks: format.marks,
      // JSON by a grammar is the whole reply, whatever marks stand in its texts.
      createParser:
        grammar !== null && tools.length === 0
          ? null
          : () => format.createParser({ tools, startsInReasoning: thinking && grammar === null }),
      severalCalls: allowsSeveralCalls(chat),
    };
  };

  return (request) => {
    const { prompt } = request;
    const plain = { media: [], grammar: null, marks: [], createParser: null, severalCalls: false };
    switch (prompt.kind) {
      case 'chat':
        return prepareChat(prompt, request);
      case 'text':
        return { ...plain, prompt: withoutMarks(prompt.text) };
      case 'tokens':
        return { ...plain, prompt: prompt.tokens };
      case 'infill':
        return { ...plain, prompt: withoutMarks(infillPrompt(prompt, traits)) };
      default:
        return prompt satisfies never;
    }
  };
}

function infillPrompt({ prefix, suffix }: { prefix: string; suffix: string }, { infill }: ModelTraits): string {
  if (!infill) throw unsupportedParameter('suffix', 'The model can not fill in between two texts.');
  return `${infill.prefix}${prefix}${infill.suffix}${suffix}${infill.middle}`;
}
