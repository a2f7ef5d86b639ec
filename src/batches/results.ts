import { type FileHandle, open } from 'node:fs/promises';
import { OWNER_ONLY } from '../replace-file.ts';
import { parseObject } from '../utils/json.ts';
import { createTurns } from '../utils/turns.ts';
import { dropTornLine, linesOf } from './lines.ts';

/** The results of a batch: a line for each request, in the file of the outputs or in that of the errors. */
export interface Results extends AsyncDisposable {
  /** True if there is a result for this request. */
  has(customId: string): boolean;
  /** How many requests have a result in each file. */
  readonly counts: { outputs: number; errors: number };
  /** Appends a line, and resolves when it is in the file. */
  add(to: 'outputs' | 'errors', customId: string, line: string): Promise<void>;
}

/** Opens the results of a batch with the lines that are there from before. A line that was cut off is removed. */
export async function openResults(paths: { outputs: string; errors: string }): Promise<Results> {
  const known = new Set<string>();
  const counts = { outputs: 0, errors: 0 };
  const files: Partial<Record<'outputs' | 'errors', FileHandle>> = {};
  for (const which of ['outputs', 'errors'] as const) {
    await dropTornLine(paths[which]);
    files[which] = await open(paths[which], 'a', OWNER_ONLY);
    for await (const { text } of linesOf(paths[which])) {
      known.add(String(parseObject(text)?.custom_id));
      counts[which] += 1;
    }
  }
  const inTurn = createTurns();
  return {
    has: (customId) => known.has(customId),
    counts,
    add: (to, customId, line) =>
      inTurn(async () => {
        await files[to]?.appendFile(`${line}\n`);
        known.add(customId);
        counts[to] += 1;
      }),
    async [Symbol.asyncDispose]() {
      await inTurn(async () => {});
      await files.outputs?.close();
      await files.errors?.close();
    },
  };
}
