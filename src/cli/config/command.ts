import { type Command, Option } from 'commander';
import { readConfigFile } from './file.ts';
import { resolveConfig } from './resolve.ts';
import { type Config, SETTINGS, type Setting, type SettingName } from './settings.ts';

/** Gives a command the flags of these settings, and `--config`. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) command.addOption(toOption(SETTINGS[name] as Setting<unknown>));
  return command.addOption(
    new Option('--config <file>', 'configuration file (env: PADDOCK_CONFIG, default: ~/.paddock/config.json)'),
  );
}

/** The configuration that holds for a command, given the options that commander read. Throws a `UsageError`. */
export function readConfig(options: Record<string, unknown>, env: NodeJS.ProcessEnv = process.env): Config {
  return resolveConfig({ flags: givenSettings(options), env, file: readConfigFile(textOption(options.config), env) });
}

/** What the flags alone say, and else the defaults. Throws a `UsageError`. */
export function defaultConfig(options: Record<string, unknown>, env: NodeJS.ProcessEnv = process.env): Config {
  return resolveConfig({
    flags: givenSettings(options),
    env: { PADDOCK_HOME: env.PADDOCK_HOME },
    file: undefined,
  });
}

/** The settings that were given as flags. */
export function givenSettings(options: Record<string, unknown>): Partial<Record<SettingName, unknown>> {
  const { auth, ...others } = options;
  // Commander reads `--no-auth` as an `auth` that is true unless the flag is there.
  return { ...others, ...(auth === false && { noAuth: true }) };
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
