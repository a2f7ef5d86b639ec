import { latestStamp } from '../data/tree/merge.ts';
import { type Context, take } from './context.ts';
import type { ReplyKeeping } from './replies.ts';

/** Keeps this tab in step with the others: takes in what they change, and tells them when it is closed. */
export function followTabs(context: Context, replies: ReplyKeeping): void {
  const { store, channel, clock, database } = context;

  channel.listen((message, tab) => {
    switch (message.kind) {
      case 'patch': {
        const last = latestStamp(message.patch);
        if (last) clock.see(last);
        return store.dispatch({ kind: 'patch from elsewhere', patch: message.patch, tab });
      }
      case 'draft':
        for (const part of Object.values(message.draft)) clock.see(part.at);
        return store.dispatch({ kind: 'draft', key: message.key, draft: message.draft });
      case 'stop':
        return replies.stopOwn(message.conversationId);
      case 'hello':
        return replies.save();
      case 'left':
        return store.dispatch({ kind: 'tab left', tab });
      default:
        return message satisfies never;
    }
  });
  channel.post({ kind: 'hello' });

  // A tab that the browser had put to sleep has missed what the others said.
  const catchUp = async () => {
    const { messages } = store.get().chats;
    const read = Object.keys(messages).map((id) => database.messages(id));
    take(context, { heads: await database.heads(), messages: (await Promise.all(read)).flat() });
  };
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void catchUp().catch(() => {});
  });
  addEventListener('pagehide', () => {
    replies.save();
    channel.post({ kind: 'left' });
  });
}
