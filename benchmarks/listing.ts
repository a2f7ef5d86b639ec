import { execFileSync } from 'node:child_process';
import { linkSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readFileCatalogue } from '../src/catalogue/node/catalogue.ts';
import { type ModelShape, writeHollowModel } from '../test/kit/models/tiny-model.ts';
import { spread } from './statistics.ts';

/**
 * Measures how long it takes to list a folder of many models, in ms from the start of the process: with small headers,
 * and with headers that have a vocabulary of 151,936 tokens, without and with a cache. All files of a folder are links
 * to one file, so the system reads the header from memory.
 */
const { values } = parseArgs({
  options: {
    models: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
    /** Lists this folder and prints the time. The benchmark starts such a process for each round. */
    list: { type: 'string' },
    cache: { type: 'string' },
  },
});

if (values.list) await list(values.list);
else compare();

async function list(folder: string): Promise<void> {
  const ignore = () => {};
  const catalogue = await readFileCatalogue(
    [folder],
    { debug: ignore, info: ignore, warn: ignore, error: ignore },
    values.cache,
  );
  process.stdout.write(JSON.stringify({ models: catalogue.list().length, ms: performance.now() }));
}

function compare(): void {
  const rows = (['tiny', 'half-billion'] as ModelShape[]).map((shape) => {
    const folder = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
    try {
      const model = join(folder, 'model-0.gguf');
      writeHollowModel(model, shape);
      for (let index = 1; index < Number(values.models); index++) linkSync(model, join(folder, `model-${index}.gguf`));
      const cache = join(folder, 'cache.json');
      const rounds = Array.from({ length: Number(values.rounds) }, () => {
        rmSync(cache, { force: true });
        return { first: listElsewhere(folder, cache), again: listElsewhere(folder, cache) };
      });
      const first = spread(rounds.map((round) => round.first));
      return `| ${shape} | ${first} | ${spread(rounds.map((round) => round.again))} |`;
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  process.stdout.write(
    [
      `${values.models} models, ${cpus()[0]?.model}, Node ${process.version}, ${values.rounds} rounds`,
      '',
      '| headers | ms since the start of the process, median and range | again |',
      '|---|---|---|',
      ...rows,
      '',
    ].join('\n'),
  );
}

/** Lists a folder in a new process. Returns the time in ms. */
function listElsewhere(folder: string, cache: string): number {
  const script = [fileURLToPath(import.meta.url), '--list', folder, '--cache', cache];
  const output = execFileSync(process.execPath, script, {
    encoding: 'utf8',
  });
  const { models, ms } = JSON.parse(output);
  if (models !== Number(values.models)) throw new Error(`${models} models were listed`);
  return Math.round(ms);
}
