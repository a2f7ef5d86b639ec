import { t } from '../messages/language.ts';
import { type Context, change } from '../state/context-actions.ts';
import { newId } from '../state/new-id.ts';
import { currentHead, headOf, messagesOf } from '../state/selectors.ts';
import { showNotice } from '../state/show-notice.ts';
import { chooseCompared } from './tree/compared.ts';
import { deleteMessage, sayInstead, setDeleted, withValues } from './tree/operations.ts';
import type { Patch } from './tree/tree.ts';

/** Actions for single messages of the current conversation. */
export interface MessageActions {
  /** Changes the text of a reply. The old text stays as another version. */
  editReply(replyId: string, text: string): void;
  /** Deletes a message. The messages after it stay. A notice offers to restore it. */
  remove(messageId: string): void;
  /** Chooses one of two compared replies, and continues with it. */
  choose(replyId: string): void;
}

interface Needs {
  /** Stops the replies of a conversation. */
  stop: (conversationId: string) => void;
  /** Runs the calls of the conversation's last reply that need no consent. */
  beginCalls: (conversationId: string) => void;
}

export function messageActions(context: Context, { stop, beginCalls }: Needs): MessageActions {
  const { store, clock } = context;

  const undoRemove = (conversationId: string, ids: string[], shown: { now: string | null; before: string | null }) => {
    const head = headOf(store.get(), conversationId);
    const messages = messagesOf(store.get(), conversationId);
    const back: Patch = {
      // Another branch may be shown by now. Then it stays.
      heads: head && head.shown.value === shown.now ? [withValues(head, { shown: shown.before }, clock.next())] : [],
      messages: ids.flatMap((id) => {
        const message = messages[id];
        return message ? setDeleted(message, false, clock.next()).messages : [];
      }),
    };
    void change(context, back);
  };

  return {
    editReply: (replyId, text) => {
      const head = currentHead(store.get());
      const messages = messagesOf(store.get(), head.id);
      const turn = messages[replyId]?.turn.value;
      if (turn?.role !== 'assistant' || turn.text === text) return;
      const end = { kind: 'finished' as const, reason: 'stop' as const };
      const said = { ...turn, id: newId(), text, end, stats: null, edited: true as const };
      void change(context, sayInstead(head, messages, replyId, said, clock.next()));
    },
    choose: (replyId) => {
      const head = currentHead(store.get());
      void change(context, chooseCompared(head, messagesOf(store.get(), head.id), replyId, clock.next()));
      beginCalls(head.id);
    },
    remove: (messageId) => {
      const head = currentHead(store.get());
      const turn = messagesOf(store.get(), head.id)[messageId]?.turn.value;
      if (!turn) return;
      if (turn.role === 'assistant' && turn.end === null) stop(head.id);
      const patch = deleteMessage(head, messagesOf(store.get(), head.id), messageId, clock.next);
      void change(context, patch);
      const ids = patch.messages.map(({ id }) => id);
      const shown = { now: patch.heads[0]?.shown.value ?? head.shown.value, before: head.shown.value };
      const text = turn.role === 'user' ? t('message.deleted') : t('reply.deleted');
      const undo = () => undoRemove(head.id, ids, shown);
      showNotice(store, { text, tone: 'plain', undo });
    },
  };
}
