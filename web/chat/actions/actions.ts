import { findGround } from '../api/ground.ts';
import { keepKey } from '../storage/preferences.ts';
import { idInAddress } from './address.ts';
import { type Context, messageOf } from './context.ts';
import { type ConversationActions, conversationActions } from './conversations.ts';
import { type ModelActions, modelActions } from './models.ts';
import { type ReplyActions, replyActions } from './replies.ts';

/** Everything that a person can do on the page. */
export interface Actions {
  /** Finds the API and fetches the data for the first view. */
  start(): Promise<void>;
  /** Uses this key from now on. */
  giveKey(key: string): Promise<void>;
  dismissNotice(): void;
  models: ModelActions;
  replies: ReplyActions;
  conversations: ConversationActions;
}

export function createActions(context: Context): Actions {
  const { store } = context;
  const models = modelActions(context);
  const replies = replyActions(context, models);
  const conversations = conversationActions(context, replies.stop);

  const start = async () => {
    try {
      store.dispatch({ kind: 'startup', startup: { kind: 'starting' } });
      const ground = await findGround();
      store.dispatch({ kind: 'startup', startup: { kind: 'ready', ground } });
      await models.refresh();
    } catch (error) {
      // If the server wants a key, the key dialog asks for one.
      if (store.get().keyWanted !== null) return;
      store.dispatch({ kind: 'startup', startup: { kind: 'failed', message: messageOf(error) } });
    }
  };

  addEventListener('popstate', () => {
    const id = idInAddress();
    if (id !== '') void conversations.open(id);
  });

  return {
    start,
    giveKey: async (key) => {
      keepKey(key);
      store.dispatch({ kind: 'key wanted', message: null });
      await start();
    },
    dismissNotice: () => store.dispatch({ kind: 'notice', notice: null }),
    models,
    replies,
    conversations,
  };
}
