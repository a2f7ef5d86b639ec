import * as v from 'valibot';
import { LLAMA_RANDOM_SEED, SAMPLING_FIELDS, type SamplingField } from '../../contract/sampling.ts';
import { decimalSetting, integerSetting } from '../../serve/config/values.ts';
import type { ChatRequestBody, ChatTurn } from '../client/client.ts';

/** A conversation, and the settings for the next reply. */
export interface TerminalConversation {
  model: string;
  system: string | undefined;
  /** Questions and answers, alternating. */
  turns: ChatTurn[];
  /** Fields for the request, set with `/set`. */
  parameters: Record<string, unknown>;
  /** The last question. `answered` is true if its answer is in `turns`. */
  last: { question: string; answered: boolean } | undefined;
}

/** The parameters of `/set`, with the values that the API accepts. */
const PARAMETERS = {
  ...samplingParameters(),
  max_tokens: integerSetting(1, 2 ** 31 - 1),
  seed: integerSetting(0, LLAMA_RANDOM_SEED - 1),
  reasoning_effort: v.picklist(
    ['none', 'minimal', 'low', 'medium', 'high'],
    'must be one of none, minimal, low, medium, high',
  ),
} as Record<string, v.GenericSchema>;

/** The sampling fields, each with the range that the API accepts. */
function samplingParameters(): Record<string, v.GenericSchema> {
  const fields: SamplingField[] = Object.values(SAMPLING_FIELDS);
  return Object.fromEntries(
    fields.map(({ name, min, max = 2 ** 31 - 1, whole }) => [
      name,
      whole ? integerSetting(min, max) : decimalSetting(min, max),
    ]),
  );
}

export const PARAMETER_NAMES = Object.keys(PARAMETERS);

/** Begins a conversation without turns, whose parameters are the defaults of the model. */
export function startConversation(model: string, system: string | undefined): TerminalConversation {
  return { model, system, turns: [], parameters: {}, last: undefined };
}

/** Sets a parameter; without a value, removes it. Throws an `Error` that says which values are valid. */
export function setParameter({ parameters }: TerminalConversation, name: string, value: string | undefined): void {
  const schema = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
  if (!schema) throw new Error(`there is no parameter '${name}'; there are ${PARAMETER_NAMES.join(', ')}`);
  if (value === undefined) {
    delete parameters[name];
    return;
  }
  const result = v.safeParse(schema, value);
  if (!result.success) throw new Error(`${name} ${result.issues[0].message}`);
  parameters[name] = result.output;
}

/** Makes the request that asks a question after the whole conversation. */
export function toBody(conversation: TerminalConversation, question: string): ChatRequestBody {
  const { model, parameters } = conversation;
  return {
    ...parameters,
    // By default, a conversation longer than the context window would get an empty reply. An error explains more.
    context_overflow: 'error',
    model,
    messages: [...allTurns(conversation), { role: 'user', content: question }],
  };
}

/** Returns the system message, if there is one, and all turns. */
export function allTurns({ system, turns }: TerminalConversation): ChatTurn[] {
  return system === undefined ? turns : [{ role: 'system', content: system }, ...turns];
}

/** Appends a question and its answer. */
export function addAnswer({ turns }: TerminalConversation, question: string, answer: string): void {
  turns.push({ role: 'user', content: question }, { role: 'assistant', content: answer });
}

/**
 * Removes the last question and its answer and returns the question, so that it can be asked again; undefined if there
 * is none.
 */
export function takeBack(conversation: TerminalConversation): string | undefined {
  const { last, turns } = conversation;
  if (last?.answered) turns.splice(-2);
  conversation.last = undefined;
  return last?.question;
}

/** Removes all turns. The model, the system message and the parameters stay. */
export function clear(conversation: TerminalConversation): void {
  conversation.turns = [];
  conversation.last = undefined;
}
