import type { Command } from 'commander';
import { toLogFields } from '../../contract/log.ts';
import { availableMemory } from '../../engine/node/available-memory.ts';
import type { CpuLibraries } from '../../engine/node/task.ts';
import { whyNoGpu } from '../../pool/load/gpu-devices.ts';
import { startSpareEngine } from '../../pool/process/engine-child.ts';
import { checkExposure } from '../../serve/config/exposure.ts';
import { withKeysOfFile } from '../../serve/config/key-file.ts';
import type { Config } from '../../serve/config/settings.ts';
import { EXIT } from '../../serve/errors.ts';
import { coloursFor, print } from '../../serve/output.ts';
import type { RunningPaddock } from '../../serve/serve.ts';
import { addFlags, addSettings, readCommandConfig } from '../config/command.ts';
import { HELP_GROUPS } from '../config/groups.ts';
import { leavingTimes, onFarewell } from '../leaving.ts';

const MOST_IDS_TOLD = 12;

/**
 * An engine's process and a thread that prepares requests are started before the first request if this much memory is available, in bytes.
 * The process takes 70 MB by itself, and 40 MB more with the built-in model; the thread ends after a minute without requests.
 */
const SPARE_BYTES = 1024 ** 3;

/**
 * `paddock serve`: reads the configuration, starts the server, and ends after a signal once the running requests have
 * finished or their time is up. The command fails with a `UsageError` for an invalid configuration.
 */
export function registerServe(program: Command): void {
  const command = program.command('serve').description('serve the API over HTTP');
  for (const [heading, names] of Object.entries(HELP_GROUPS)) {
    command.optionsGroup(heading);
    addFlags(command, names);
  }
  command.optionsGroup('More:');
  addSettings(command, []).action((options: Record<string, unknown>) =>
    serve(withKeysOfFile(readCommandConfig(options))),
  );
}

/** Runs the server until a signal stops it. */
async function serve(config: Config): Promise<void> {
  checkExposure(config);
  const ahead = availableMemory() > SPARE_BYTES ? { loads: librariesOf(config) !== null } : undefined;
  // While the server starts, the process of the first model does too.
  if (ahead && config.backend !== 'wasm') startSpareEngine(librariesOf(config));
  // Imported on demand, so that the other commands start without the server's large dependencies.
  const [{ startPaddockServer }, { createLog }] = await Promise.all([
    import('../../serve/serve.ts'),
    import('../../serve/log.ts'),
  ]);
  const log = createLog(config);
  const paddock = await startPaddockServer(config, log, ahead);

  onFarewell((why) => {
    const { graceMs, lameDuckMs, limitMs } = leavingTimes(why, config);
    log.info('stopping: running requests may finish', { why, graceMs, lameDuckMs });
    const end = () => process.exit(EXIT.ok);
    setTimeout(end, limitMs);
    paddock.stop(graceMs, lameDuckMs).then(end, (error: unknown) => {
      log.error('stopping failed', toLogFields(error));
      end();
    });
  });
  // Administrators send SIGHUP to web servers to reload a certificate. By default it would end this process.
  if (config.tlsCert !== undefined)
    process.on('SIGHUP', () => log.warn('certificates are read at the start: restart the server to change them'));
  print(greeting(paddock, config));
}

/** Returns the libraries that the first model needs; null if it may run on a GPU. */
function librariesOf({ backend, stockKernels }: Config): CpuLibraries | null {
  return backend === 'cpu' || (backend === 'auto' && whyNoGpu() !== null) ? { stockKernels } : null;
}

function greeting({ url, modelIds }: RunningPaddock, { models, socket }: Config): string {
  const { bold, dim } = coloursFor(process.stdout);
  const ids = modelIds();
  const told = ids.slice(0, MOST_IDS_TOLD).join(', ');
  const more = ids.length > MOST_IDS_TOLD ? ` and ${ids.length - MOST_IDS_TOLD} more` : '';
  return [
    `Paddock is ready on ${bold(url)}`,
    `  ${dim('models')}  ${ids.length === 0 ? 'none yet' : told + more}`,
    `  ${dim('add')}     put *.gguf files into ${models}, or: paddock pull, which lists models to begin with`,
    `  ${dim('talk')}    ${socket === undefined ? `paddock chat, or any OpenAI client at ${url}/v1` : 'through a proxy'}`,
  ].join('\n');
}
