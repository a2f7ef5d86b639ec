import * as v from 'valibot';
import { SAMPLING_FIELDS, type SamplingField } from '../../core/sampling/fields.ts';
import type { ChatBody, ChatTurn } from '../client/client.ts';
import { decimal, integer } from '../config/values.ts';

/** A conversation and how the model is to continue it. */
export interface Conversation {
  model: string;
  system: string | undefined;
  /** Questions and their answers in turn. */
  turns: ChatTurn[];
  /** Fields of the request, as `/set` gave them. */
  parameters: Record<string, unknown>;
  /** What was asked last, and whether its answer is in `turns`. */
  last: { question: string; answered: boolean } | undefined;
}

/** What `/set` takes, with the values that the API takes. */
const PARAMETERS = {
  ...samplingParameters(),
  max_tokens: integer(1, 2 ** 31 - 1),
  seed: integer(0, 2 ** 32 - 2),
  reasoning_effort: v.picklist(
    ['none', 'minimal', 'low', 'medium', 'high'],
    'must be one of none, minimal, low, medium, high',
  ),
} as Record<string, v.GenericSchema>;

/** The samplers, each with the range of the API. */
function samplingParameters(): Record<string, v.GenericSchema> {
  const fields: SamplingField[] = Object.values(SAMPLING_FIELDS);
  return Object.fromEntries(
    fields.map(({ name, min, max = 2 ** 31 - 1, whole }) => [name, whole ? integer(min, max) : decimal(min, max)]),
  );
}

export const PARAMETER_NAMES = Object.keys(PARAMETERS);

export function startConversation(model: string, system: string | undefined): Conversation {
  return { model, system, turns: [], parameters: {}, last: undefined };
}

/** Sets a parameter, or takes it back where no value is given. Throws an `Error` that says what it must be. */
export function setParameter({ parameters }: Conversation, name: string, value: string | undefined): void {
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

/** The request that asks a question after all that was said. */
export function toBody(conversation: Conversation, question: string): ChatBody {
  const { model, parameters } = conversation;
  return {
    ...parameters,
    // An empty reply would not tell that the conversation has outgrown the context window.
    context_overflow: 'error',
    model,
    messages: [...allTurns(conversation), { role: 'user', content: question }],
  };
}

/** The system message and all turns. */
export function allTurns({ system, turns }: Conversation): ChatTurn[] {
  return system === undefined ? turns : [{ role: 'system', content: system }, ...turns];
}

/** Adds a question and its answer. */
export function addAnswer({ turns }: Conversation, question: string, answer: string): void {
  turns.push({ role: 'user', content: question }, { role: 'assistant', content: answer });
}

/** Takes the last question back, with its answer, so that it can be asked again; undefined if there is none. */
export function takeBack(conversation: Conversation): string | undefined {
  const { last, turns } = conversation;
  if (last?.answered) turns.splice(-2);
  conversation.last = undefined;
  return last?.question;
}

export function clear(conversation: Conversation): void {
  conversation.turns = [];
  conversation.last = undefined;
}
