import type { MessageNode, Patch } from '../conversation/tree/tree.ts';
import type { Presets } from '../presets/presets.ts';
import type { SavedPrompt } from '../prompts/prompts.ts';

export const FORMAT = 'paddock-chats';
/** Version 1 has lists of turns, version 2 trees of messages. */
export const VERSION = 2;

/** Returns the text of an export file. Deleted conversations and prompts are left out. */
export function exportText(
  { heads, messages }: Patch,
  presets: Presets | null = null,
  prompts: SavedPrompt[] = [],
): string {
  const kept = heads.filter(({ deleted }) => !deleted.value);
  const ids = new Set(kept.map((one) => one.id));
  const theirs = messages.filter(({ conversation }) => ids.has(conversation));
  const own = prompts.filter(({ deleted }) => !deleted.value);
  const content = {
    format: FORMAT,
    version: VERSION,
    heads: kept,
    messages: parentsFirst(theirs),
    ...(presets && { presets }),
    ...(own.length > 0 && { prompts: own }),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/**
 * Sorts messages so that each comes after its parent. A message whose parent is missing becomes the first message of
 * its conversation.
 */
function parentsFirst(messages: MessageNode[]): MessageNode[] {
  const byKey = new Map(messages.map((one) => [`${one.conversation} ${one.id}`, one]));
  const sorted = new Set<MessageNode>();
  for (const one of messages) {
    const way: MessageNode[] = [];
    for (let next: MessageNode | undefined = one; next && !sorted.has(next); ) {
      way.push(next);
      next = byKey.get(`${next.conversation} ${next.parent}`);
    }
    for (const next of way.reverse()) sorted.add(next);
  }
  return [...sorted].map((one) => (byKey.has(`${one.conversation} ${one.parent}`) ? one : { ...one, parent: null }));
}
