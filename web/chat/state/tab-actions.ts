import type { ReplyKeeping } from '../reply/actions.ts';
import { applyPatch, type Context, readMessages, see } from './context-actions.ts';
import { headOf } from './selectors.ts';

/**
 * Synchronises this tab with the other tabs: merges their changes, and informs them when this tab is closed. `onGone`
 * is called when the open conversation was erased.
 */
export function followTabs(
  context: Context,
  replies: Pick<ReplyKeeping, 'save' | 'stopOwn'> & { tellCalls: () => void },
  onGone: () => void,
): void {
  const { store, channel, clock, database, reads } = context;

  channel.listen((message, tab) => {
    switch (message.kind) {
      case 'patch':
        see(context, message.patch);
        return store.dispatch({ kind: 'patch from elsewhere', patch: message.patch, tab });
      case 'draft':
        for (const part of Object.values(message.draft)) clock.see(part.at);
        return store.dispatch({ kind: 'draft', key: message.key, draft: message.draft });
      case 'stop':
        return replies.stopOwn(message.conversationId);
      case 'calls':
        return store.dispatch({
          kind: 'tools',
          change: { kind: 'running calls elsewhere', tab, calls: message.calls },
        });
      case 'hello':
        replies.save();
        return replies.tellCalls();
      case 'left':
        return store.dispatch({ kind: 'tab left', tab });
      default:
        return message satisfies never;
    }
  });
  channel.post({ kind: 'hello' });

  // A tab that the browser had frozen has missed messages. The open conversation is read again now, and every other one
  // when it is opened.
  const catchUp = async () => {
    const heads = await database.heads();
    reads.clear();
    applyPatch(context, { heads, messages: [] });
    const { currentId } = store.get();
    if (headOf(store.get(), currentId)) await readMessages(context, currentId);
    else onGone();
  };
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void catchUp().catch(() => {});
  });
  addEventListener('pagehide', () => {
    replies.save();
    channel.post({ kind: 'left' });
  });
}
