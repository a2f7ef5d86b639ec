import { setTimeout as sleep } from 'node:timers/promises';
import { chat, type Seen } from './chat.ts';

export interface Load {
  url: string;
  model: string;
  /** Clients that ask one question after another. Half of them want streams. */
  clients: number;
  replyTokens: number;
}

/** A request of the load, with the time at which it began, in ms of `performance.now`. */
export interface Noted extends Seen {
  begunAt: number;
  stream: boolean;
}

/** How many streams of a replica, by the name that the proxy gives it, have begun and not ended. */
export type Streaming = (replica: string) => number;

/** Asks until `disturb` has done its work and the last replies are there. Each question begins a conversation of its own. */
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
      // A client that is refused at once must not ask thousands of times.
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
