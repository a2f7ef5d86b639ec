import type { ChatPrompt } from '../contract/prompt.ts';
import type { ChatFormat, ParserOptions, ReasoningMarks, Tool } from './formats/format.ts';
import { showsReasoning } from './formats/index.ts';
import { afterThoughts } from './reply-grammar.ts';
import { mustCall } from './tools.ts';

/** How a reply that a grammar forces begins. */
export interface ForcedReply {
  /** The prompt, up to the place where the reply goes on. */
  text: string;
  grammar: string;
  /** Null if the text of the reply needs no parser. */
  parser: ParserOptions | null;
  /** The marks of the reasoning in which the reply begins; absent if no reasoning comes first. */
  thoughts?: ReasoningMarks;
}

/** What a forced reply depends on. */
interface ForcedRequest {
  chat: ChatPrompt;
  /** The tools that the grammar may call; none if it has no calls. */
  tools: Tool[];
  format: ChatFormat;
  template: string | undefined;
  /** True if the request asks for reasoning before the reply. */
  thinks: boolean;
}

/**
 * Returns the beginning of a reply that `grammar` forces after the prompt `text`. If the request asks for reasoning and
 * the model can reason, the reply begins within reasoning, and the grammar holds after that. Otherwise the reply has
 * none: if the template has begun a block of reasoning all the same, the prompt ends the block.
 */
export function beginForcedReply(text: string, grammar: string, request: ForcedRequest): ForcedReply {
  const { chat, tools, format } = request;
  const { answerOpen = '' } = format;
  const forced = tools.length === 0 ? 'answer' : mustCall(chat) ? 'calls' : 'calls or answer';
  const bare = answerOpen !== '' && text.endsWith(answerOpen) ? text.slice(0, -answerOpen.length) : text;
  const parser: ParserOptions = { tools, startsInReasoning: false, forced, ...(answerOpen && { answerOpen }) };
  const opened = openedReasoning(bare, format);
  const thoughts = request.thinks ? thoughtsAfter(bare, opened, request) : undefined;
  if (thoughts) {
    const { open, gap = '' } = thoughts;
    return {
      text: opened ? bare : bare + open + gap,
      // Where calls may follow, the grammar of the reply has the opening of the answer itself.
      grammar: afterThoughts(grammar, thoughts, forced === 'answer' ? answerOpen : ''),
      parser: { ...parser, thoughts },
      thoughts,
    };
  }
  const closed = opened ? `${bare.trimEnd()}\n${opened.close}\n\n` : bare;
  return forced === 'answer' ? { text: closed + answerOpen, grammar, parser: null } : { text: closed, grammar, parser };
}

/** Returns the marks of the reasoning in which a prompt ends; undefined if it ends elsewhere. */
export function openedReasoning(text: string, format: ChatFormat): ReasoningMarks | undefined {
  return format.reasoning.find(({ open }) => text.trimEnd().endsWith(open));
}

/** Returns the marks of the reasoning that may follow a prompt; undefined if the model does not reason there. */
function thoughtsAfter(
  text: string,
  opened: ReasoningMarks | undefined,
  { format, template = '' }: ForcedRequest,
): ReasoningMarks | undefined {
  const [usual] = format.reasoning;
  if (opened || !usual) return opened;
  // A prompt that closes an empty block says that no reasoning comes.
  return showsReasoning(template) && !text.trimEnd().endsWith(usual.close) ? usual : undefined;
}
