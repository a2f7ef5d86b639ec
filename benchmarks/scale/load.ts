import { setTimeout as sleep } from 'node:timers/promises';
import { chat, type Seen } from './chat.ts';

export interface Load {
  url: string;
  model: string;
  /** Clients that send one question after another. Half of them ask for streams. */
  clients: number;
  replyTokens: number;
}

/** A request of the load, with the time of its beginning in ms of `performance.now`. */
export interface Noted extends Seen {
  begunAt: number;
  stream: boolean;
}

/** Returns how many streams of a replica, by its name in the proxy, have begun and not ended. */
export type Streaming = (replica: string) => number;

/**
 * Sends questions until `disturb` has ended and the last replies are complete. Each question begins a new conversation.
 * Returns all requests.
 */
export async function askDuring(
  { url, model, clients, replyTokens }: Load,
  disturb: (streaming: Streaming) => Promise<void>,
): Promise<Noted[]> {
  const noted: Noted[] = [];
  const streaming: string[] = [];
  let over = false;
  const client = async (index: number) => {
    const stream = index % 2 === 0;
    for (let question = 0; !over; question++) {
      const begunAt = performance.now();
      const messages = [{ role: 'user', content: `question ${question} of client ${index}` }];
      const ask = { model, messages, maxTokens: replyTokens, stream };
      const seen = await chat(url, ask, (replica) => stream && streaming.push(replica));
      if (stream && seen.text !== '') streaming.splice(streaming.indexOf(seen.replica), 1);
      noted.push({ ...seen, begunAt, stream });
      // After a refusal a client pauses, so that it does not send thousands of requests.
      if (seen.outcome !== 'whole') await sleep(100);
    }
  };
  const asking = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  try {
    await disturb((replica) => streaming.filter((one) => one === replica).length);
  } finally {
    over = true;
  }
  await asking;
  return noted;
}
