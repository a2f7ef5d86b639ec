import type { ListedModel } from '../../../../src/contract/models/model.ts';
import {
  newReply,
  type ReplyTurn,
  type ShownConversation,
  type Turn,
  type UserTurn,
} from '../../../../web/chat/conversation/conversation.ts';
import { NO_SETTINGS } from '../../../../web/chat/settings/settings.ts';

export const user = (text: string): UserTurn => ({ role: 'user', id: text, text, images: [] });

export const reply = (text: string, more: Partial<ReplyTurn> = {}): ReplyTurn => ({
  ...newReply('tiny'),
  id: text,
  text,
  end: { kind: 'finished', reason: 'stop' },
  ...more,
});

export const talk = (...turns: Turn[]): ShownConversation => ({
  id: 'talk',
  title: 'A talk',
  createdAt: 1,
  updatedAt: 2,
  model: null,
  settings: NO_SETTINGS,
  turns,
});

/** A chat model with a window of 1,000 tokens. */
export function model(
  settings: Partial<ListedModel['settings']> = {},
  capabilities: Partial<ListedModel['capabilities']> = {},
  more: Partial<ListedModel> = {},
): ListedModel {
  const none = { vision: false, audio: false, tools: false, reasoning: false, embedding: false, rerank: false };
  return {
    id: 'tiny',
    name: 'Tiny',
    context_length: 1000,
    meta: { n_ctx: 1000, n_ctx_train: 1000, n_params: 1, size: 1 },
    settings: { embedding: false, prompt_template: 'a template', ...settings },
    capabilities: { ...none, ...capabilities },
    ...more,
  } as ListedModel;
}
