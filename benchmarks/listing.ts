import { execFileSync } from 'node:child_process';
import { linkSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readCatalogue } from '../src/catalogue/catalogue.ts';
import { type ModelShape, writeHollowModel } from '../test/fixtures/tiny-model.ts';

/**
 * How long it takes to list a folder of many models, in ms from the start of the process: with small headers, and with
 * headers that have a vocabulary of 151,936 tokens. All files of a folder are links to one, so its header is read from
 * memory.
 */
const { values } = parseArgs({
  options: {
    models: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
    /** List this folder and say how long it took: what the benchmark starts for each round. */
    list: { type: 'string' },
  },
});

if (values.list) await list(values.list);
else compare();

async function list(folder: string): Promise<void> {
  const ignore = () => {};
  const catalogue = await readCatalogue([folder], { debug: ignore, info: ignore, warn: ignore, error: ignore });
  process.stdout.write(JSON.stringify({ models: catalogue.list().length, ms: performance.now() }));
}

function compare(): void {
  const rows = (['tiny', 'half-billion'] as ModelShape[]).map((shape) => {
    const folder = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
    try {
      const first = join(folder, 'model-0.gguf');
      writeHollowModel(first, shape);
      for (let index = 1; index < Number(values.models); index++) linkSync(first, join(folder, `model-${index}.gguf`));
      const times = Array.from({ length: Number(values.rounds) }, () => listElsewhere(folder)).sort((a, b) => a - b);
      return `| ${shape} | ${times[Math.floor(times.length / 2)]} | ${times[0]}-${times.at(-1)} |`;
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  process.stdout.write(
    [
      `${values.models} models, ${cpus()[0]?.model}, Node ${process.version}, ${values.rounds} rounds`,
      '',
      '| headers | ms since the start of the process, median | range |',
      '|---|---|---|',
      ...rows,
      '',
    ].join('\n'),
  );
}

/** In a process of its own. */
function listElsewhere(folder: string): number {
  const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--list', folder], {
    encoding: 'utf8',
  });
  const { models, ms } = JSON.parse(output);
  if (models !== Number(values.models)) throw new Error(`${models} models were listed`);
  return Math.round(ms);
}
