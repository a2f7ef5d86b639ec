import { withoutMarks } from '../../chat/media-marks.ts';
import type {
  ChoiceFinished,
  GenerationDone,
  GenerationEvent,
  ToolArgumentsDelta,
  ToolCallStart,
} from '../../contract/events.ts';
import type { ChatMessage, ToolCall } from '../../contract/prompt.ts';
import { newPrefixedId } from '../generation/ids.ts';
import type { ReplyEvent } from './events.ts';
import type { OfferedTool } from './offer.ts';

/** A call of a round. */
export interface RoundCall {
  /** The id by which the prompt of the next round refers to it. */
  id: string;
  /** The name by which the model calls it. */
  name: string;
  /** The arguments. */
  json: string;
  /** The tool that this server runs; null if it is one of the client's. */
  tool: OfferedTool | null;
  /** The number of the call in the events of the reply. */
  number: number;
}

/** A generation that has ended. */
export interface EndedRound {
  calls: RoundCall[];
  /** The generation as the model's message in the next prompt. */
  message: ChatMessage;
  finish: ChoiceFinished;
  done: GenerationDone;
}

/**
 * Reads the events of one generation, and returns those of the reply. `toolOf` finds the tool that this server runs by
 * the name that the model calls. `firstNumber` is the number of the first call.
 */
export function createRound(toolOf: (name: string) => OfferedTool | undefined, firstNumber: number) {
  const calls: RoundCall[] = [];
  /** The places of the client's own calls among themselves. */
  const ownIndexes = new Map<number, number>();
  let content = '';
  let reasoning = '';
  let finish: ChoiceFinished | null = null;
  let done: GenerationDone | null = null;

  const begin = ({ index, name, ...event }: ToolCallStart): ReplyEvent[] => {
    const tool = toolOf(name) ?? null;
    const number = firstNumber + index;
    calls[index] = { id: newPrefixedId('call'), name, json: '', tool, number };
    if (tool) return tool.asks ? [] : [{ kind: 'mcpCall', call: number, tool, approvalId: null }];
    ownIndexes.set(index, ownIndexes.size);
    return [{ ...event, name, index: ownIndexes.size - 1 }];
  };
  const grow = ({ index, text, ...event }: ToolArgumentsDelta): ReplyEvent[] => {
    const call = calls[index];
    if (!call) return [];
    call.json += text;
    if (call.tool) return call.tool.asks ? [] : [{ kind: 'mcpArguments', call: call.number, text }];
    return [{ ...event, text, index: ownIndexes.get(index) ?? 0 }];
  };
  const read = (event: GenerationEvent): ReplyEvent[] => {
    switch (event.kind) {
      case 'text':
        content += event.text;
        return [event];
      case 'reasoning':
        reasoning += event.text;
        return [event];
      case 'toolCall':
        return begin(event);
      case 'toolArguments':
        return grow(event);
      case 'finish':
        finish = event;
        return [];
      case 'done':
        done = event;
        return [];
      default:
        return [event];
    }
  };

  return {
    read,
    /** Throws if the generation has no end. */
    end(): EndedRound {
      if (!finish || !done) throw new Error('the generation ended without its last event');
      return { calls, message: toMessage(content, reasoning, calls), finish, done };
    },
  };
}

function toMessage(content: string, reasoning: string, calls: RoundCall[]): ChatMessage {
  const tool_calls = calls.map(
    ({ id, name, json }): ToolCall => ({ id, type: 'function', function: { name, arguments: json } }),
  );
  return {
    role: 'assistant',
    content: content === '' ? null : withoutMarks(content),
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
  };
}
