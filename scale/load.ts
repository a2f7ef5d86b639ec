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

/** Asks until `disturb` has done its work and the last replies are there. Each question begins a conversation of its own. */
export async function askDuring(
  { url, model, clients, replyTokens }: Load,
  disturb: () => Promise<void>,
): Promise<Noted[]> {
  const noted: Noted[] = [];
  let over = false;
  const client = async (index: number) => {
    const stream = index % 2 === 0;
    for (let question = 0; !over; question++) {
      const begunAt = performance.now();
      const messages = [{ role: 'user', content: `question ${question} of client ${index}` }];
      const seen = await chat(url, { model, messages, maxTokens: replyTokens, stream });
      noted.push({ ...seen, begunAt, stream });
      // A client that is refused at once must not ask thousands of times.
      if (seen.outcome !== 'whole') await sleep(100);
    }
  };
  const asking = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  try {
    await disturb();
  } finally {
    over = true;
  }
  await asking;
  return noted;
}
