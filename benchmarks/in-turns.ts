import { pairedRatio, spread, turns } from './statistics.ts';

/** A streamed reply. Times are in ms, by one clock. */
export interface StreamedReply {
  start: number;
  /** The time of arrival of each token. */
  times: number[];
  text: string;
}

/** Streams a reply to a prompt, always greedily and with the same number of tokens. */
export interface Writer {
  name: string;
  write(prompt: string): Promise<StreamedReply>;
}

/** The measurements of a writer, round by round. */
export interface Measured {
  name: string;
  firstMs: number[];
  tokensPerSecond: number[];
}

/**
 * Lets the writers answer the same prompts in turns, because the speed of a machine drifts. Each prompt has `words`
 * words and is new in each round, so that it is never cached. The first round is a warm-up and does not count. Throws
 * if the writers write different texts.
 */
export async function writeInTurns(writers: Writer[], rounds: number, words: number): Promise<Measured[]> {
  const measured = writers.map(({ name }): Measured => ({ name, firstMs: [], tokensPerSecond: [] }));
  for (let round = 0; round <= rounds; round++) {
    const prompt = Array.from({ length: words }, (_, word) => round * 7 + word * 3).join(' ');
    const texts = new Set<string>();
    for (const index of turns(writers.length, round)) {
      const reply = await writers[index]?.write(prompt);
      if (!reply) continue;
      texts.add(reply.text);
      if (round === 0) continue;
      measured[index]?.firstMs.push((reply.times[0] ?? Number.NaN) - reply.start);
      measured[index]?.tokensPerSecond.push(rateOf(reply.times));
    }
    if (texts.size > 1) throw new Error(`The replies to one prompt differ: ${JSON.stringify([...texts])}`);
  }
  return measured;
}

/**
 * Returns the rows of a table: the name, ms to the first token, tokens per second, and the median ratio of that rate to
 * the first writer's.
 */
export function rowsOf(measured: Measured[]): string[] {
  const [first] = measured;
  return measured.map(({ name, firstMs, tokensPerSecond }) => {
    const ratio = pairedRatio(tokensPerSecond, first?.tokensPerSecond ?? []);
    return `| ${name} | ${spread(firstMs, 1)} | ${spread(tokensPerSecond, 1)} | ${((ratio ?? Number.NaN) * 100).toFixed(0)} % |`;
  });
}

/** Returns the tokens per second after the first arrival, with which several tokens may come. */
export function rateOf(times: number[]): number {
  const [first = 0] = times;
  const last = times.at(-1) ?? 0;
  return (1000 * times.filter((time) => time > first).length) / (last - first);
}
