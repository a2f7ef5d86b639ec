import type { Emit, ReplyViolation } from '../contract/events.ts';
import type { JsonSchema } from '../contract/json-schema.ts';
import { checkValue } from '../grammar/check/check.ts';

/** The schemas that a grammar does not enforce in full. Plain data. */
export interface ReplyChecks {
  /** The schema of a reply that is JSON; null if nothing is left to check. */
  reply: JsonSchema | null;
  /** The schemas of the arguments of tools, by the tool's name. */
  calls: [name: string, schema: JsonSchema][];
}

/** The JSON texts of one choice. */
interface Written {
  content: string;
  calls: { name: string; arguments: string }[];
}

/**
 * Returns a receiver that passes all events on to `emit`, and adds the violations of its schemas to the `finish` of a
 * complete choice. It checks nothing while a choice is being written, and does not check a choice that is cut off.
 */
export function createReplyCheck(checks: ReplyChecks, emit: Emit): Emit {
  const choices = new Map<number, Written>();

  const writtenOf = (index: number): Written => {
    const known = choices.get(index) ?? { content: '', calls: [] };
    choices.set(index, known);
    return known;
  };

  return (event) => {
    if (event.kind === 'text') writtenOf(event.choice).content += event.text;
    else if (event.kind === 'toolCall')
      writtenOf(event.choice).calls[event.index] = { name: event.name, arguments: '' };
    else if (event.kind === 'toolArguments') {
      const call = writtenOf(event.choice).calls[event.index];
      if (call) call.arguments += event.text;
    }
    const isComplete = event.kind === 'finish' && (event.reason === 'stop' || event.reason === 'tool_calls');
    const violations = isComplete ? findViolations(checks, writtenOf(event.choice)) : [];
    emit(event.kind === 'finish' && violations.length > 0 ? { ...event, violations } : event);
  };
}

function findViolations({ reply, calls }: ReplyChecks, written: Written): ReplyViolation[] {
  const schemas = new Map(calls);
  const ofCalls = written.calls.flatMap((call, index) =>
    violationsOf(schemas.get(call.name), call.arguments).map((violation) => ({ call: index, ...violation })),
  );
  const ofReply = reply !== null && written.calls.length === 0 ? violationsOf(reply, written.content) : [];
  return [...ofReply, ...ofCalls];
}

/**
 * Returns the violations of a JSON text. A text that is not JSON has none: a stop sequence cut it, which the client can
 * see.
 */
function violationsOf(schema: JsonSchema | undefined, text: string): ReplyViolation[] {
  if (schema === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return checkValue(schema, value);
}
