import type { GenerationRequest } from '../contract/generation-request.ts';
import type { Media } from '../contract/media.ts';
import type { ChatMessage, ChatPrompt, TextPart } from '../contract/prompt.ts';
import { hasBannedText } from './banned-texts.ts';
import { continuedPart, renderContinued } from './continuation.ts';
import { beginForcedReply, openedReasoning } from './forced-reply.ts';
import type { ParserOptions } from './formats/format.ts';
import { type FormatPlan, findFormat, formatOf } from './formats/index.ts';
import { type InfillMarks, infillText } from './infill.ts';
import { createLiteralGuard, type LiteralGuard } from './literal-text.ts';
import { renderWithMedia, withoutMarks } from './media-marks.ts';
import { createModelTemplates, type ModelTemplates } from './model-templates.ts';
import type { ReplyChecks } from './reply-check.ts';
import { formGrammar, replyGrammar } from './reply-grammar.ts';
import { asksForThoughts, type ThinkingLimit, thinkingBudgetOf, toThinkingLimit } from './thinking-limit.ts';
import { allowsSeveralCalls, callableTools, visibleTools, withTools } from './tools.ts';

/** The facts about a loaded model that the chat layer needs. */
export interface ModelTraits {
  chatTemplate: string | undefined;
  /** The template of a decision model, `tokenizer.chat_template.systemone`. */
  decisionTemplate?: string | undefined;
  /** Special tokens as text; '' if the model has none. */
  bos: string;
  eos: string;
  /** The texts of the control tokens. No text of a client may become one of these tokens. */
  controlTokens: string[];
  /** The tokens around the gap that an infilling model fills; null if the model can't infill. */
  infill: InfillMarks | null;
}

/** A request as an engine runs it: text in, text out. Plain data: it may be made in another thread. */
export interface PreparedRequest {
  prompt: string | number[] | TextPart[];
  /** The image or recording for each `MEDIA_MARK` of the prompt, in order. */
  media: Media[];
  /** The GBNF grammar of the reply; null if the reply is free. */
  grammar: string | null;
  /** The schemas that the grammar does not enforce in full; null if there are none. */
  checks: ReplyChecks | null;
  /** Special tokens that the engine must give as text, since the parser looks for them. */
  marks: string[];
  /** The options of the format's parser; null if the text needs no parser. */
  parser: ParserOptions | null;
  /** The format of a conversation's reply. */
  format?: FormatPlan;
  /** True if a reply may have several calls. */
  severalCalls: boolean;
  /** True if a banned text occurs in the client's text. The model must then not reply. */
  filtered: boolean;
  /** True if the prompt ends within a message or a text: the reply may begin with a space. */
  continues?: true;
  /** The limit of each block of reasoning in the reply; absent for no limit, and for a reply without reasoning. */
  thinking?: ThinkingLimit;
}

/** What prepares the conversations of one model. */
interface PreparedModel {
  traits: ModelTraits;
  templates: ModelTemplates;
  /** Marks the control tokens in a client's text, so that they stay text. */
  guard: LiteralGuard['guard'];
  /** Takes the marks off again: returns the text in parts if it has some. */
  toPrompt: (text: string) => string | TextPart[];
}

/**
 * Returns a function that turns requests into requests for an engine. It throws a 400 `ApiError` for a conversation
 * that the template refuses, for a schema or a grammar that can't be enforced, and for infilling without the model's
 * support. It throws a 500 `ApiError` for every conversation if the template can't be read.
 */
export function createPreparer(traits: ModelTraits): (request: GenerationRequest) => PreparedRequest {
  const templates = createModelTemplates(traits);
  const { guard, split } = createLiteralGuard(traits.controlTokens);
  const toPrompt = (text: string) => {
    const parts = split(text);
    return parts.length > 1 || parts[0]?.literal ? parts : text;
  };
  const model = { traits, templates, guard, toPrompt };

  return (request) => {
    const { prompt } = request;
    if (prompt.kind === 'chat') return prepareChat(model, prompt, request);
    const plain = {
      media: [],
      ...formGrammar(request.replyFormat),
      marks: [],
      parser: null,
      severalCalls: false,
      filtered: hasBannedText(request),
      continues: true as const,
    };
    switch (prompt.kind) {
      case 'text':
        return { ...plain, prompt: withoutMarks(prompt.text) };
      case 'tokens':
        return { ...plain, prompt: prompt.tokens };
      case 'decision':
        return { ...plain, prompt: toPrompt(withoutMarks(templates.decision(guard({ ...prompt.values })))) };
      case 'infill':
        return { ...plain, prompt: toPrompt(withoutMarks(infillText(guard(prompt), traits.infill))) };
      default:
        return prompt satisfies never;
    }
  };
}

/** Prepares a conversation: renders the template, compiles the grammar of the reply and decides how it is read. */
function prepareChat(
  { traits, templates, guard, toPrompt }: PreparedModel,
  chat: ChatPrompt,
  request: GenerationRequest,
): PreparedRequest {
  const plan = findFormat(traits.chatTemplate);
  const format = formatOf(plan);
  const [shown, callable] = [visibleTools(chat), callableTools(chat)];
  const { grammar, checks } = replyGrammar(chat, request.replyFormat, format);
  const thinks = asksForThoughts(request, chat);
  // With a grammar, the prompt is the one for replies without reasoning until the request asks for reasoning.
  const kwargs = { ...(grammar !== null && !thinks && { enable_thinking: false }), ...chat.templateKwargs };
  const render = (messages: ChatMessage[], begins: boolean) => {
    const conversation = withTools(messages, guard(shown), traits.chatTemplate, format);
    return templates.chat(conversation.messages, conversation.tools, guard(kwargs), begins);
  };
  const { text, media } = renderWithMedia(chat.messages, (messages) =>
    chat.continues ? renderContinued(guard(messages), format, render) : render(guard(messages), true),
  );
  const common = {
    media,
    checks,
    marks: format.marks,
    format: plan,
    filtered: hasBannedText(request),
    severalCalls: allowsSeveralCalls(chat),
  };
  const [usual] = format.reasoning;
  const inContent = chat.thoughtsInContent && usual ? { thoughtsInContent: usual } : {};
  const limit = (marks = usual, inside: boolean) => {
    const tokens = marks && thinkingBudgetOf(request, chat, { text, template: traits.chatTemplate, marks });
    return tokens === undefined || !marks ? {} : { thinking: toThinkingLimit(tokens, marks, format, inside) };
  };
  const last = chat.messages.at(-1);
  if (chat.continues && last) {
    const continues = continuedPart(last);
    return {
      ...common,
      grammar,
      prompt: toPrompt(text),
      parser: { tools: callable, startsInReasoning: false, continues, ...inContent },
      continues: true,
      ...limit(undefined, continues === 'reasoning'),
    };
  }
  if (grammar !== null) {
    const tools = request.replyFormat.kind === 'options' ? [] : callable;
    const template = traits.chatTemplate;
    const forced = beginForcedReply(text, grammar, { chat, tools, format, template, thinks });
    return {
      ...common,
      grammar: forced.grammar,
      prompt: toPrompt(forced.text),
      parser: forced.parser && { ...forced.parser, ...inContent },
      ...(forced.thoughts && limit(forced.thoughts, true)),
    };
  }
  const opened = openedReasoning(text, format);
  return {
    ...common,
    grammar,
    prompt: toPrompt(text),
    parser: { tools: callable, startsInReasoning: opened !== undefined, ...inContent },
    ...limit(opened, opened !== undefined),
  };
}
