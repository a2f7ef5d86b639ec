import { type Command, Option } from 'commander';
import { readConfigFile } from '../../serve/config/file.ts';
import { resolveConfig } from '../../serve/config/resolve.ts';
import { type Config, SETTINGS, type Setting, type SettingName } from '../../serve/config/settings.ts';

/** Adds the flags of these settings to a command. */
export function addFlags(command: Command, names: readonly SettingName[]): void {
  for (const name of names) command.addOption(toOption(SETTINGS[name] as Setting<unknown>));
}

/** Adds the flags of these settings and `--config` to a command. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  addFlags(command, names);
  return command.addOption(
    new Option('--config <file>', 'configuration file (env: PADDOCK_CONFIG, default: ~/.paddock/config.json)'),
  );
}

/** Returns the configuration of a command. `options` are the parsed options of commander. Throws a `UsageError`. */
export function readCommandConfig(options: Record<string, unknown>, env: NodeJS.ProcessEnv = process.env): Config {
  return resolveConfig({ flags: givenSettings(options), env, file: readConfigFile(textOption(options.config), env) });
}

/** Returns the configuration from the flags and the defaults alone. Throws a `UsageError`. */
export function defaultConfig(options: Record<string, unknown>, env: NodeJS.ProcessEnv = process.env): Config {
  return resolveConfig({
    flags: givenSettings(options),
    env: { PADDOCK_HOME: env.PADDOCK_HOME },
    file: undefined,
  });
}

/** Returns the settings that were given as flags. */
export function givenSettings(options: Record<string, unknown>): Partial<Record<SettingName, unknown>> {
  const { auth, cache, batches, ...others } = options;
  // Commander parses `--no-auth` as `auth: false`; without the flag, `auth` is true.
  return {
    ...others,
    ...(auth === false && { noAuth: true }),
    ...(cache === false && { noCache: true }),
    ...(batches === false && { noBatches: true }),
  };
}

function toOption(setting: Setting<unknown>): Option {
  const fallback = setting.fallbackText ?? setting.fallback({});
  const notes = [
    `env: ${setting.env}${setting.list ? ', separated by commas' : ''}`,
    ...(typeof fallback === 'string' || typeof fallback === 'number' ? [`default: ${fallback}`] : []),
  ];
  const repeatable = setting.list ? '; repeatable' : '';
  const option = new Option(setting.flags, `${setting.description}${repeatable} (${notes.join('; ')})`);
  return setting.list ? option.argParser((value: string, previous: string[] = []) => [...previous, value]) : option;
}

function textOption(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
