import type { Command } from 'commander';
import { withAliases } from '../../catalogue/aliases.ts';
import { withKeysOfFile } from '../../serve/config/key-file.ts';
import type { Config } from '../../serve/config/settings.ts';
import { EXIT } from '../../serve/errors.ts';
import { type Colours, coloursFor, print, printable, printJson } from '../../serve/output.ts';
import { messageOf } from '../../utils/error-message.ts';
import { addSettings, defaultConfig, readCommandConfig } from '../config/command.ts';
import type { Finding } from '../doctor/finding.ts';

/**
 * `paddock doctor`: looks for everything that could keep the server from serving, and loads no model. The process ends
 * with 1 if one of the findings is a failure.
 */
export function registerDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('check whether Paddock can serve on this machine, and with which backend')
    .option('--json', 'print the findings as JSON');
  addSettings(command, ['models', 'backend', 'host', 'port'])
    .addHelpText('after', '\nIt exits with 1 if the server could not serve.')
    .action(doctor);
}

async function doctor(options: Record<string, unknown>): Promise<void> {
  const [
    { checkMachine },
    { checkBackends },
    folders,
    { checkLoads },
    { checkMedia },
    { checkAddress },
    { checkStart },
  ] = await Promise.all([
    import('../doctor/machine.ts'),
    import('../doctor/backends.ts'),
    import('../doctor/folders.ts'),
    import('../doctor/loads.ts'),
    import('../doctor/media.ts'),
    import('../doctor/server.ts'),
    import('../doctor/start.ts'),
  ]);
  const { config, finding } = checkConfig(options);
  const machine = checkMachine();
  const { findings: backends, gpu } = await checkBackends(config.backend);
  const models = await folders.findModels(config.models);
  const findings = [
    ...machine,
    ...backends,
    finding,
    ...(await folders.checkFolders(models)),
    ...checkStart(config, withAliases(models.catalogue, config.alias)),
    ...checkLoads(models, config, gpu),
    ...(await checkMedia(
      models.catalogue,
      backends.find(({ id }) => id === 'wasm'),
    )),
    await checkAddress(config),
  ];
  const ok = findings.every(({ status }) => status !== 'fail');
  if (options.json) printJson({ ok, findings });
  else
    print(
      `${formatFindings(findings, coloursFor(process.stdout))}\n\n${ok ? 'Paddock can serve here.' : 'Paddock can not serve here as it is.'}`,
    );
  if (!ok) process.exitCode = EXIT.failure;
}

/**
 * Reads the configuration. If it is not valid, returns the configuration of the flags alone, so that the other checks
 * can run. Throws a `UsageError` for a wrong flag.
 */
function checkConfig(options: Record<string, unknown>): { config: Config; finding: Finding } {
  const finding = { id: 'config', title: 'configuration' };
  // A wrong flag is a usage error of the doctor command itself.
  const defaults = defaultConfig(options);
  try {
    return {
      config: withKeysOfFile(readCommandConfig(options)),
      finding: { ...finding, status: 'ok', detail: 'valid' },
    };
  } catch (error) {
    const detail = `${messageOf(error)}; the rest was looked at with the defaults`;
    return { config: defaults, finding: { ...finding, status: 'fail', detail } };
  }
}

const MARKS = { ok: '✓', info: '·', warn: '!', fail: '✗' };

function formatFindings(findings: Finding[], colours: Colours): string {
  const paint = { ok: colours.green, info: colours.dim, warn: colours.yellow, fail: colours.red };
  const width = Math.max(...findings.map(({ title }) => title.length));
  return findings
    .map(({ status, title, detail }) => `${paint[status](MARKS[status])} ${title.padEnd(width)}  ${printable(detail)}`)
    .join('\n');
}
