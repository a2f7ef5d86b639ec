import { createHash } from 'node:crypto';
import type { Media } from '../core/media.ts';
import type { Prompt } from '../core/runner.ts';

/** A worker thread as the balancer sees it. */
export interface Candidate {
  id: number;
  /** Tasks that it runs now. */
  currentUsage: number;
}

/**
 * Sends a conversation to the thread that served its beginning, whose prompt cache holds it.
 *
 * @returns a function that picks the free thread whose last conversation shares the longest beginning with this one,
 *   the first of them on a draw, and null when all are busy
 */
export function createAffinityBalancer(
  slots: number,
): <W extends Candidate>(conversation: string, workers: W[]) => W | null {
  const lastConversations = new Map<number, string>();

  return (conversation, workers) => {
    const [chosen] = workers
      .filter(({ currentUsage }) => currentUsage < slots)
      .map((worker) => ({ worker, shared: sharedLength(lastConversations.get(worker.id) ?? '', conversation) }))
      .sort((a, b) => b.shared - a.shared);
    if (!chosen) return null;
    lastConversations.set(chosen.worker.id, conversation);
    return chosen.worker;
  };
}

/** A prompt as a text that begins as those of earlier turns do. A digest stands in for an image's or a recording's bytes. */
export function describeConversation(prompt: Prompt): string {
  if (prompt.kind !== 'chat') return JSON.stringify(prompt);
  const messages = prompt.messages.map(({ media = [], ...message }) => ({ ...message, media: media.map(digest) }));
  return JSON.stringify({ ...prompt, messages });
}

function digest({ bytes }: Media): string {
  return createHash('sha1').update(bytes).digest('base64');
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
