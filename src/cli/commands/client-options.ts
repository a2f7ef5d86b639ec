import { type Command, Option } from 'commander';
import type { SettingName } from '../../serve/config/settings.ts';
import { UsageError } from '../../serve/errors.ts';
import type { WantedServer } from '../client/reach.ts';
import { addSettings, givenSettings, readCommandConfig } from '../config/command.ts';

/** The settings of a server that a command starts for itself. */
const OWN_SERVER: SettingName[] = ['models', 'backend', 'ctxLen', 'threads', 'batch', 'allowPrivateSources'];
const OWN_FLAGS = '--models, --backend, --ctx-len, --threads, --batch or --allow-private-sources';

/**
 * Adds the flags of commands that use a server: a running one on this machine, one at a URL, or a new one that the
 * command starts.
 */
export function addClientOptions(command: Command): Command {
  addUrlOptions(command);
  return addSettings(command, ['host', 'port', ...OWN_SERVER]).addHelpText(
    'after',
    '\nIt asks the server at --url, else the one that runs on this machine at --host and --port, else it starts one for ' +
      `itself. With ${OWN_FLAGS} it always starts one.`,
  );
}

/** Adds `--url` and the key to send. */
export function addUrlOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'the server to ask (env: PADDOCK_URL)'))
    .addOption(new Option('--api-key <key>', 'the key to send (env: PADDOCK_API_KEY)'));
}

/** Returns the server that the options describe. Throws a `UsageError` if flags contradict each other. */
export function wantedServer(options: Record<string, unknown>, env: NodeJS.ProcessEnv = process.env): WantedServer {
  const { apiKey, ...others } = options;
  const url = checkUrl((options.url as string | undefined) ?? (env.PADDOCK_URL || undefined));
  const given = givenSettings(others);
  const own = OWN_SERVER.filter((name) => given[name] !== undefined);
  if (options.url !== undefined && own.length > 0)
    throw new UsageError(`--url names a running server: it takes no ${OWN_FLAGS}`);
  return {
    url: own.length > 0 ? undefined : url,
    key: (apiKey as string | undefined) ?? (env.PADDOCK_API_KEY || undefined),
    own: own.length > 0,
    config: readCommandConfig(others, env),
  };
}

function checkUrl(url: string | undefined): string | undefined {
  if (url === undefined || /^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return url;
  throw new UsageError(`--url must be a URL that begins with http:// or https://, but it is ${url}`);
}
