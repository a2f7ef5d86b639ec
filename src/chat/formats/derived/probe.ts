import { sharedStart } from '../../../utils/shared-start.ts';
import { compileJinja } from '../../jinja/template.ts';
import type { HistoryRules } from '../format.ts';

/** A call in a probe. */
export interface ProbeCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** A reply in a probe. Its texts occur in no template, so they are found again in the rendered text. */
export interface ProbeReply {
  content?: string;
  reasoning?: string;
  /** Where the reasoning is; the default is `reasoning_content`. In `blocks`, it is a part of the content. */
  thoughts?: HistoryRules['thoughts'] | 'blocks';
  calls?: readonly ProbeCall[];
}

/** Renders probes with one template. */
export interface Probe {
  /**
   * Returns what the template writes for a reply, after the prompt and up to the end. Undefined if it refuses the
   * conversation.
   */
  reply(reply: ProbeReply): string | undefined;
  /** True if calls have their arguments as JSON text instead of an object. */
  readonly textArguments: boolean;
  /** The end of a prompt: what the template writes before a reply. */
  readonly beginning: string;
}

type Message = Record<string, unknown>;

export const PROBE_TOOLS = ['zqtoola', 'zqtoolb'] as const;

const QUESTION: Message = { role: 'user', content: 'zqquestion' };

/** Matches the ids of calls in probes. */
export const PROBE_IDS = /zqidentf[ab]/g;

/**
 * Makes the probes of a template: one with the arguments of calls as an object, and one with them as JSON text. None if
 * the template can't be read, or refuses a plain question.
 */
export function createProbes(template: string): Probe[] {
  const render = createRender(template);
  const prompt = render([QUESTION], true);
  if (prompt === undefined) return [];
  const beginning = prompt.slice(sharedStart(prompt, render([QUESTION], false) ?? ''));
  return [false, true].map((textArguments) => {
    const known = new Map<string, string | undefined>();
    const write = (reply: ProbeReply) => {
      const text = render([QUESTION, toMessage(reply, textArguments)], false);
      return text?.slice(wholeMarks(text, sharedStart(text, prompt)));
    };
    return {
      textArguments,
      beginning,
      reply: (reply) => {
        const key = JSON.stringify(reply);
        if (!known.has(key)) known.set(key, write(reply));
        return known.get(key);
      },
    };
  });
}

/** Moves the end of the prompt before the mark that it cuts: the prompt and the reply may begin with similar marks. */
function wholeMarks(text: string, end: number): number {
  const open = text.lastIndexOf('<', end - 1);
  const isCut = open >= 0 && end - open < 60 && !/[>\s]/.test(text.slice(open, end));
  return isCut ? open : end;
}

function createRender(template: string): (messages: Message[], begins: boolean) => string | undefined {
  let render: ReturnType<typeof compileJinja>;
  try {
    render = compileJinja(template);
  } catch {
    return () => undefined;
  }
  const tools = PROBE_TOOLS.map((name) => ({
    type: 'function',
    function: { name, description: '', parameters: { type: 'object', properties: {}, additionalProperties: false } },
  }));
  return (messages, begins) => {
    const variables = { tools, functions: '', datetime: '', bos_token: '', eos_token: '', enable_thinking: true };
    try {
      return render({ ...variables, messages, add_generation_prompt: begins });
    } catch {
      return undefined;
    }
  };
}

function toMessage({ content = '', reasoning, thoughts, calls = [] }: ProbeReply, textArguments: boolean): Message {
  const toCall = ({ name, arguments: members }: ProbeCall, index: number) => ({
    // Some templates refuse ids that do not have nine characters.
    id: `zqidentf${'ab'.charAt(index)}`,
    type: 'function',
    function: { name, arguments: textArguments ? JSON.stringify(members) : members },
  });
  const isOwnField = thoughts !== 'chunks' && thoughts !== 'blocks';
  return {
    role: 'assistant',
    content: toContent(content, reasoning, thoughts),
    ...(reasoning !== undefined && isOwnField && { [thoughts ?? 'reasoning_content']: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  };
}

function toContent(content: string, reasoning: string | undefined, thoughts: ProbeReply['thoughts']): unknown {
  if (thoughts === 'chunks') return [{ type: 'thinking', thinking: reasoning }];
  if (thoughts !== 'blocks') return content;
  return {
    blocks: [
      { type: 'thoughts', text: reasoning },
      { type: 'response', text: content },
    ],
  };
}
