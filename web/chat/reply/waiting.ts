import { canGoOn, type ReplyTurn, type ShownConversation } from '../conversation/conversation.ts';
import type { MessageNodes } from '../conversation/tree/tree.ts';

/** A wanted reply. Without these fields, it is a new reply after the last turn. */
export interface WantedReply {
  /** The id of the reply that it replaces. */
  instead?: string;
  /** The id of the reply that it continues. */
  continued?: string;
}

/** A reply that is requested once Paddock is ready. */
export interface Waiting extends WantedReply {
  conversationId: string;
}

/** Sets the one reply that a conversation waits for; null for none. Returns the same list if nothing changes. */
export function withWaiting(known: Waiting[], conversationId: string, wanted: WantedReply | null): Waiting[] {
  const others = known.filter((other) => other.conversationId !== conversationId);
  if (wanted) return [...others, { ...wanted, conversationId }];
  return others.length === known.length ? known : others;
}

/** Returns the reply with this id if the model can continue it. */
export function replyThatGoesOn({ turns }: ShownConversation, id: string): ReplyTurn | undefined {
  const turn = turns.find((one) => one.id === id);
  return turn?.role === 'assistant' && canGoOn(turn) ? turn : undefined;
}

/** False if the reply was requested meanwhile, for example by another tab, or if its question was deleted. */
export function isUnanswered(
  conversation: ShownConversation,
  messages: MessageNodes,
  { instead, continued }: WantedReply,
): boolean {
  if (instead !== undefined) return messages[instead] !== undefined;
  if (continued !== undefined) return replyThatGoesOn(conversation, continued) !== undefined;
  const last = conversation.turns.at(-1);
  return last !== undefined && last.role !== 'assistant';
}
