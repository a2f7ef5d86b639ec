import { createHash } from 'node:crypto';
import type { GenerationRequest } from '../contract/generation-request.ts';
import type { Media } from '../contract/media.ts';
import type { ChatMessage, Prompt } from '../contract/prompt.ts';

/** A worker thread that a request may go to. */
export interface CandidateThread {
  id: number;
  /** The number of tasks that it runs now. */
  currentUsage: number;
}

/**
 * Makes a balancer that sends a conversation to the thread whose KV cache holds the longest prefix of it.
 *
 * @param slots the most tasks that one thread runs at once
 * @returns a function that chooses the free thread whose latest conversation shares the longest prefix with this one, the first of
 *   them if several share equally much. It returns null if all threads are busy.
 */
export function createAffinityBalancer(
  slots: number,
): <W extends CandidateThread>(conversation: string, workers: W[]) => W | null {
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

/** The most characters of each text that are compared, or tokens of a prompt of token ids: conversations differ before that. */
const DESCRIBED_LENGTH = 64 * 1024;

/**
 * Writes the client's name for a conversation and the beginning of its prompt as text, so that the text of a later turn begins like
 * that of an earlier one. Images and recordings are replaced by a digest of their bytes.
 */
export function describeConversation({ cacheKey, prompt }: Pick<GenerationRequest, 'cacheKey' | 'prompt'>): string {
  const beginning = describePrompt(prompt);
  return cacheKey === undefined ? beginning : JSON.stringify(beginningOf(cacheKey)) + beginning;
}

function describePrompt(prompt: Prompt): string {
  switch (prompt.kind) {
    case 'chat':
      return describeMessages(prompt.messages);
    case 'text':
      return JSON.stringify(beginningOf(prompt.text));
    case 'infill':
      return JSON.stringify(beginningOf((prompt.files ?? []).map(({ text }) => text).join('') + prompt.prefix));
    case 'decision':
      return JSON.stringify(beginningOf(JSON.stringify(prompt.values.state) ?? ''));
    case 'tokens':
      return prompt.tokens.slice(0, DESCRIBED_LENGTH).join();
    default:
      return prompt satisfies never;
  }
}

function describeMessages(messages: ChatMessage[]): string {
  let text = '';
  for (const { content, media = [], ...message } of messages) {
    if (text.length >= DESCRIBED_LENGTH) break;
    text += JSON.stringify({ ...message, content: beginningOf(content ?? ''), media: media.map(digest) });
  }
  return text;
}

/** The caller must copy the result, as JSON.stringify does: a slice of a string keeps the whole string in memory. */
function beginningOf(text: string): string {
  return text.slice(0, DESCRIBED_LENGTH);
}

function digest({ bytes }: Media): string {
  return createHash('sha1').update(bytes).digest('base64');
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
