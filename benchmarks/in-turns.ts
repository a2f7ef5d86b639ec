import { pairedRatio, spread, turns } from './statistics.ts';

/** One reply that was streamed. Times are in ms, by one clock. */
export interface StreamedReply {
  start: number;
  /** When each token was there. */
  times: number[];
  text: string;
}

/** Something that streams a reply to a prompt: always with the same number of tokens, and greedily. */
export interface Writer {
  name: string;
  write(prompt: string): Promise<StreamedReply>;
}

/** What was measured of a writer, round by round. */
export interface Measured {
  name: string;
  firstMs: number[];
  tokensPerSecond: number[];
}

/**
 * Has the writers answer the same prompts, by turns, since a machine's speed drifts. The prompts have so many words and differ from
 * round to round, so that none is cached. A first round, which is not counted, warms up. Throws if their texts differ.
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

/** Rows of a table: the name, ms to the first token, tokens per second, and that rate compared with the first writer's, in pairs. */
export function rowsOf(measured: Measured[]): string[] {
  const [first] = measured;
  return measured.map(({ name, firstMs, tokensPerSecond }) => {
    const ratio = pairedRatio(tokensPerSecond, first?.tokensPerSecond ?? []);
    return `| ${name} | ${spread(firstMs, 1)} | ${spread(tokensPerSecond, 1)} | ${((ratio ?? Number.NaN) * 100).toFixed(0)} % |`;
  });
}

/** Returns the tokens per second. It counts from the first arrival on, since several tokens may come at once. */
function rateOf(times: number[]): number {
  const [first = 0] = times;
  const last = times.at(-1) ?? 0;
  return (1000 * times.filter((time) => time > first).length) / (last - first);
}
