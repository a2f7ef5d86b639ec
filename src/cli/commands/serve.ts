import type { Command } from 'commander';
import { addSettings, readConfig } from '../config/command.ts';
import { checkExposure } from '../config/exposure.ts';
import { type Config, SETTING_NAMES } from '../config/settings.ts';
import { EXIT } from '../errors.ts';
import { coloursFor, print } from '../output.ts';
import type { RunningPaddock } from '../serve.ts';

const MOST_IDS_TOLD = 12;

export function registerServe(program: Command): void {
  const command = program.command('serve').description('serve the API over HTTP');
  addSettings(command, SETTING_NAMES).action((options: Record<string, unknown>) => serve(readConfig(options)));
}

/** Runs the server until a signal stops it. */
async function serve(config: Config): Promise<void> {
  checkExposure(config);
  // Imported on demand, so that the other commands start without the server's large dependencies.
  const [{ SHUTDOWN_GRACE_MS, startPaddock }, { createLog }] = await Promise.all([
    import('../serve.ts'),
    import('../log.ts'),
  ]);
  const log = createLog(config.logLevel);
  const paddock = await startPaddock(config, log);

  const stop = async (signal: string) => {
    process.once(signal, () => process.exit(EXIT.failure));
    log.info('stopping: running requests may finish', { signal, graceMs: SHUTDOWN_GRACE_MS });
    await paddock.stop(SHUTDOWN_GRACE_MS);
    process.exit(EXIT.ok);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(signal));
  print(greeting(paddock, config));
}

function greeting({ url, modelIds }: RunningPaddock, { models }: Config): string {
  const { bold, dim } = coloursFor(process.stdout);
  const ids = modelIds();
  const told = ids.slice(0, MOST_IDS_TOLD).join(', ');
  const more = ids.length > MOST_IDS_TOLD ? ` and ${ids.length - MOST_IDS_TOLD} more` : '';
  return [
    `Paddock is ready on ${bold(url)}`,
    `  ${dim('models')}  ${ids.length === 0 ? 'none yet' : told + more}`,
    `  ${dim('add')}     put *.gguf files into ${models}, or: paddock pull hf:org/repo`,
    `  ${dim('talk')}    paddock chat, or any OpenAI client at ${url}/v1`,
  ].join('\n');
}
