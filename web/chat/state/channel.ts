import type { DraftPart } from '../composer/draft.ts';
import type { Patch } from '../conversation/tree/tree.ts';
import type { RunningCall } from '../tools/calls.ts';

/** A message from one tab of the page to all others. */
export type TabMessage =
  | { kind: 'patch'; patch: Patch }
  | { kind: 'draft'; key: string; draft: DraftPart }
  /** Whoever writes the reply of this conversation is to stop it. */
  | { kind: 'stop'; conversationId: string }
  /** These tool calls run in the tab, and no others. */
  | { kind: 'calls'; calls: RunningCall[] }
  /** A new tab: those that write a reply say it again. */
  | { kind: 'hello' }
  /** This tab is closed: nobody writes its replies any more. */
  | { kind: 'left' };

export interface TabChannel {
  post(message: TabMessage): void;
  /** Is called with each message of another tab, and the id of that tab. */
  listen(receive: (message: TabMessage, tab: string) => void): void;
}

/** Opens the way to the other tabs. Where the browser has none, or denies it, nothing is sent and nothing comes. */
export function openChannel(tab: string): TabChannel {
  const channel = openBroadcast();
  return {
    post: (message) => channel?.postMessage({ ...message, tab }),
    listen(receive) {
      channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage & { tab: string }>) => {
        receive(data, data.tab);
      });
    },
  };
}

function openBroadcast(): BroadcastChannel | null {
  try {
    return new BroadcastChannel('paddock-chat');
  } catch {
    return null;
  }
}
