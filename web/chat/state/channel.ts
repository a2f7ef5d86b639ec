import type { DraftPart } from '../composer/draft.ts';
import type { Patch } from '../conversation/tree/tree.ts';
import type { RunningCall } from '../tools/calls.ts';

/** A message from one tab of the page to all others. */
export type TabMessage =
  | { kind: 'patch'; patch: Patch }
  | { kind: 'draft'; key: string; draft: DraftPart }
  /** The tab that writes a reply of this conversation must stop it. */
  | { kind: 'stop'; conversationId: string }
  /** All tool calls that run in the tab. */
  | { kind: 'calls'; calls: RunningCall[] }
  /** A tab was opened: every other tab sends its growing replies and running calls. */
  | { kind: 'hello' }
  /** The tab is closed, so its replies do not grow any more. */
  | { kind: 'left' };

export interface TabChannel {
  post(message: TabMessage): void;
  /** Calls `receive` with each message of another tab and the id of that tab. */
  listen(receive: (message: TabMessage, tab: string) => void): void;
}

/**
 * Opens the channel to the other tabs. If the browser lacks or denies `BroadcastChannel`, messages are neither sent nor
 * received.
 */
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
