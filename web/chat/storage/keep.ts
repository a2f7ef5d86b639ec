import { mediaLength } from '../data/attachments.ts';
import { type Conversation, withReply } from '../data/conversation.ts';
import type { State } from '../data/state.ts';
import type { Store } from '../store.ts';
import type { Database } from './database.ts';

/** The shortest interval between saves of a growing reply, in ms. */
const SAVE_EVERY_MS = 500;
/**
 * A save writes the whole conversation, attachments included. Large ones are saved less often, so that the page writes
 * at most this many characters of attachments per ms.
 */
const CHARACTERS_PER_MS = 2000;

/** Saves every changed conversation at once. A growing reply is saved at intervals, and when the page closes. */
export function keepConversations(store: Store, database: Database): void {
  const kept = new Map<string, Conversation>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = async () => {
    clearTimeout(timer);
    timer = undefined;
    const changed = snapshots(store.get()).filter((conversation) => kept.get(conversation.id) !== conversation);
    for (const conversation of changed) kept.set(conversation.id, conversation);
    try {
      await Promise.all(changed.map((conversation) => database.put(conversation)));
    } catch {
      const text = 'This browser can’t keep the conversation: export it if it is dear to you.';
      store.dispatch({ kind: 'notice', notice: { text, tone: 'bad' } });
    }
  };
  let conversations = store.get().conversations;
  let coming = store.get().coming;
  store.subscribe(() => {
    const state = store.get();
    if (state.conversations !== conversations) void save();
    else if (state.coming !== coming) timer ??= setTimeout(save, saveAfterMs(state));
    ({ conversations, coming } = state);
  });
  addEventListener('pagehide', () => void save());
}

function saveAfterMs({ conversations, coming }: State): number {
  const length = Object.keys(coming).reduce((sum, id) => sum + mediaLength(conversations[id]?.turns ?? []), 0);
  return SAVE_EVERY_MS + length / CHARACTERS_PER_MS;
}

function snapshots({ conversations, coming }: State): Conversation[] {
  return Object.values(conversations)
    .filter(({ turns }) => turns.length > 0)
    .map((conversation) => {
      const reply = coming[conversation.id]?.reply;
      return reply ? withReply(conversation, reply) : conversation;
    });
}
