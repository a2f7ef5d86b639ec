import type { Command } from 'commander';
import { coloursFor, formatTable, note, print, printJson } from '../../serve/output.ts';
import { formatBytes } from '../../utils/bytes.ts';
import { runningServer } from '../client/reach.ts';
import { addSettings } from '../config/command.ts';
import { addUrlOptions, wantedServer } from './client-options.ts';

/** `paddock ps`, which users of Ollama type: the models in the memory of a running server. */
export function registerPs(program: Command): void {
  const command = program
    .command('ps')
    .description('list the models that a running server has in memory')
    .option('--json', 'print them as /health reports them');
  addSettings(addUrlOptions(command), ['host', 'port']).action(listLoaded);
}

async function listLoaded(options: Record<string, unknown>): Promise<void> {
  const client = await runningServer(wantedServer(options));
  const { models } = await client.health();
  if (options.json) return printJson(models);
  if (models.length === 0) return note(`No model is in memory on ${client.url}.`);
  const head = ['id', 'runs on', 'memory', 'context', 'slots', 'busy', 'waiting'];
  const rows = models.map(({ id, backend, memory, context_length: context, slots, busy, waiting }) => [
    id,
    backend,
    formatBytes(memory),
    String(context),
    String(slots),
    String(busy),
    String(waiting),
  ]);
  print(formatTable([head, ...rows], { right: [2, 3, 4, 5, 6], colours: coloursFor(process.stdout) }));
}
