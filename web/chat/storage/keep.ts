import { mediaLength } from '../data/attachments.ts';
import { type Conversation, withReply } from '../data/conversation.ts';
import type { State } from '../data/state.ts';
import type { Store } from '../store.ts';
import type { Database } from './database.ts';

/** How often a reply is saved while it comes. */
const SAVE_EVERY_MS = 500;
/** A conversation is written whole, so what is attached makes a reply be saved the more seldom, to write no more than this. */
const CHARACTERS_PER_MS = 2000;

/** Saves every conversation that changes at once, and a reply that still comes now and then and when the page goes. */
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
