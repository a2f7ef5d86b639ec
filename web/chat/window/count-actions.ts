import type { ListedModel } from '../../../src/contract/models/model.ts';
import type { ShownConversation } from '../conversation/conversation.ts';
import { toChatRequest } from '../reply/request.ts';
import { type Context, toolsFor } from '../state/context-actions.ts';
import { asSent } from './as-sent.ts';
import { toCountRequest } from './count-request.ts';

export interface CountActions {
  /** Returns the number of tokens in a text; null if the server can't count them. */
  countText(text: string, model: ListedModel, signal: AbortSignal): Promise<number | null>;
  /** Returns the number of tokens in the prompt of a conversation as it is now; null if the server can't count them. */
  countConversation(conversation: ShownConversation, model: ListedModel, signal: AbortSignal): Promise<number | null>;
}

export function countActions(context: Context): CountActions {
  const { client } = context;
  return {
    countText: async (content, { id }, signal) => {
      try {
        const { tokens } = (await client.post('/v1/tokenize', { model: id, content }, signal)) as { tokens: number[] };
        return tokens.length;
      } catch {
        return null;
      }
    },
    countConversation: async (conversation, model, signal) => {
      try {
        const tools = toolsFor(context, conversation);
        const body = toCountRequest(toChatRequest(asSent(conversation, model), model.id, tools));
        const answer = await client.post('/v1/responses/input_tokens', body, signal);
        return (answer as { input_tokens: number }).input_tokens;
      } catch {
        return null;
      }
    },
  };
}
