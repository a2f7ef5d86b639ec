import type { Command } from 'commander';
import { copiesFolder } from '../../serve/home.ts';
import { coloursFor, counted, formatTable, note, print, printJson } from '../../serve/output.ts';
import { formatBytes } from '../../utils/bytes.ts';

interface CacheOptions {
  clear?: boolean;
  model?: string;
  json?: boolean;
}

/** `paddock cache`: works on the stored prompts themselves, so that no server has to run. */
export function registerCache(program: Command): void {
  program
    .command('cache')
    .description('list the prompts that are kept in RAM and on disk, or delete them')
    .option('--model <id>', 'only those of this model')
    .option('--clear', 'delete them')
    .option('--json', 'print them as JSON')
    .action(cache);
}

async function cache({ clear, model, json }: CacheOptions): Promise<void> {
  const { listCopies, removeCopies } = await import('../../pool/copies/listing.ts');
  const all = await listCopies(copiesFolder());
  const copies = model === undefined ? all : all.filter((copy) => copy.model === model);
  if (clear) await removeCopies(copies);
  if (json) return printJson(copies.map((copy) => ({ ...copy, usedAt: new Date(copy.usedAt).toISOString() })));
  if (copies.length === 0) return note('No prompts are kept.');
  const bytes = formatBytes(copies.reduce((sum, copy) => sum + copy.bytes, 0));
  if (clear) return print(`Deleted ${counted(copies.length, 'kept prompt')}, ${bytes} freed.`);
  const rows = copies.map(({ model, tier, tokens, bytes, usedAt }) => [
    model,
    tier,
    String(tokens),
    formatBytes(bytes),
    new Date(usedAt).toISOString().slice(0, 16).replace('T', ' '),
  ]);
  const head = ['model', 'kept in', 'tokens', 'size', 'last used (UTC)'];
  print(formatTable([head, ...rows], { right: [2, 3], colours: coloursFor(process.stdout) }));
}
