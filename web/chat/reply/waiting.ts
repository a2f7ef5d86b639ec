import { canGoOn, type ReplyTurn, type ShownConversation } from '../conversation/conversation.ts';
import type { MessageNodes } from '../conversation/tree/tree.ts';

/** The reply that is asked for. Without any of these, it is a new one after the last turn. */
export interface WantedReply {
  /** The reply in whose place it comes. */
  instead?: string;
  /** The reply that goes on where its words end. */
  continued?: string;
}

/** A reply that is asked for when Paddock is ready. */
export interface Waiting extends WantedReply {
  conversationId: string;
}

/** Has a conversation wait for this reply alone, or for none. Returns the same list if nothing changes. */
export function withWaiting(known: Waiting[], conversationId: string, wanted: WantedReply | null): Waiting[] {
  const others = known.filter((other) => other.conversationId !== conversationId);
  if (wanted) return [...others, { ...wanted, conversationId }];
  return others.length === known.length ? known : others;
}

/** Returns the reply with this id if the model can go on with it. */
export function replyThatGoesOn({ turns }: ShownConversation, id: string): ReplyTurn | undefined {
  const turn = turns.find((one) => one.id === id);
  return turn?.role === 'assistant' && canGoOn(turn) ? turn : undefined;
}

/** False if the reply was asked for meanwhile, by another tab for example, or if what it belongs to is gone. */
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
