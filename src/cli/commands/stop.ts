import type { Command } from 'commander';
import { findStarter, idOfStarter } from '../../contract/models/find-starter.ts';
import { print, printJson } from '../../serve/output.ts';
import { runningServer } from '../client/reach.ts';
import { addSettings } from '../config/command.ts';
import { addUrlOptions, wantedServer } from './client-options.ts';

/** `paddock stop`, which users of Ollama type: takes a model out of the memory of a running server. */
export function registerStop(program: Command): void {
  const command = program
    .command('stop')
    .description("take a model out of a running server's memory; its running replies end first")
    .argument('<model>', 'its id')
    .option('--json', 'print what was unloaded as JSON');
  addSettings(addUrlOptions(command), ['host', 'port']).action(unload);
}

async function unload(name: string, options: Record<string, unknown>): Promise<void> {
  const client = await runningServer(wantedServer(options));
  const unloaded = await client.unload(name);
  const starter = findStarter(name);
  const id = starter ? idOfStarter(starter) : name;
  if (options.json) return printJson({ id, unloaded });
  print(unloaded ? `${id} leaves the memory of ${client.url}.` : `${id} is not in memory.`);
}
