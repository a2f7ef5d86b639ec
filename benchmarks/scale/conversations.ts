import { makeRandom } from '../../test/kit/random.ts';
import { type Ask, chat, type Seen } from './chat.ts';

export interface Conversations {
  url: string;
  model: string;
  count: number;
  turns: number;
  /** Words of each user message. */
  words: number;
  /** Tokens of each reply. */
  replyTokens: number;
  /** Conversations that wait for a reply at once. */
  clients: number;
  seed: number;
}

/** One turn of a conversation. The first turn has the number 0. */
export interface Turn extends Seen {
  turn: number;
  /** The number of the conversation. */
  conversation: number;
}

/**
 * Holds many conversations: first the first turn of all, then the second turn of all, so that other conversations come
 * between two turns of one. Each turn sends the whole history. Throws if a turn fails.
 */
export async function converse(options: Conversations): Promise<Turn[]> {
  const { url, model, count, turns, words, replyTokens: maxTokens, clients, seed } = options;
  const random = makeRandom(seed);
  const message = () => Array.from({ length: words }, () => WORDS[random() % WORDS.length]).join(' ');
  const conversations = Array.from({ length: count }, (_, index) => ({
    messages: [{ role: 'system', content: 'You answer briefly.' }] as Ask['messages'],
    index,
    said: Array.from({ length: turns }, (_, turn) => `${index}.${turn} ${message()}`),
  }));
  const seen: Turn[] = [];
  for (let turn = 0; turn < turns; turn++) {
    // The order changes from turn to turn. With a fixed order, round robin would give each conversation the same
    // replica again.
    const waiting = conversations
      .map((conversation) => ({ conversation, at: random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ conversation }) => conversation);
    const client = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        next.messages.push({ role: 'user', content: next.said[turn] ?? '' });
        const reply = await chat(url, { model, messages: next.messages, maxTokens, stream: true });
        if (reply.outcome !== 'whole') throw new Error(`a turn failed: ${reply.outcome} ${reply.detail}`);
        next.messages.push({ role: 'assistant', content: reply.text });
        seen.push({ ...reply, turn, conversation: next.index });
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  }
  return seen;
}

const WORDS = 'the river ran under an old bridge while seven birds watched from grey stones near our small house'.split(
  ' ',
);
