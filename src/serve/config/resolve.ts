import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { ConfigFile } from './file.ts';
import { type Config, SETTING_NAMES, SETTINGS, type Setting, type SettingName } from './settings.ts';
import { readValue } from './values.ts';

/** The sources of the configuration, in order of precedence. */
export interface ConfigSources {
  /** Flags by the settings' names. Settings without a flag are absent. */
  flags: Partial<Record<SettingName, unknown>>;
  env: NodeJS.ProcessEnv;
  file: ConfigFile | undefined;
}

/**
 * Combines the sources. A flag overrides a variable, a variable overrides the file, and the file overrides the default. Throws a
 * `UsageError` that names the wrong flag, variable or key and its valid values. The whole file is checked, even values that a flag or a
 * variable overrides.
 */
export function resolveConfig(sources: ConfigSources): Config {
  const entries = SETTING_NAMES.map((name) => [name, resolveSetting(name, sources)]);
  return Object.fromEntries(entries) as Config;
}

function resolveSetting(name: SettingName, { flags, env, file }: ConfigSources): unknown {
  const setting = SETTINGS[name] as Setting<unknown>;
  const flag = setting.flags.split(' ')[0] ?? '';
  const said = [
    { value: flags[name], origin: flag, folder: '.' },
    { value: fromEnv(setting, env[setting.env]), origin: setting.env, folder: '.' },
    ...(file ? [{ value: file.values[name], origin: `"${name}" in ${file.path}`, folder: file.folder }] : []),
  ].filter(({ value }) => value !== undefined);
  const [strongest] = said.map(({ value, origin, folder }) => {
    const valid = readValue(setting.schema, value, origin);
    return { value: setting.path ? toPath(String(valid), folder) : valid };
  });
  return strongest ? strongest.value : setting.fallback(env);
}

/** An empty variable counts as not set: container set-ups often pass on unset variables as empty texts. */
function fromEnv({ list }: Setting<unknown>, value: string | undefined): unknown {
  if (!value) return undefined;
  if (!list) return value;
  const items = value.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function toPath(path: string, folder: string): string {
  // `homedir` is called only if the path begins with ~, since it throws for a container's user without a home.
  return resolve(
    folder,
    path.replace(/^~(?=\/|$)/, () => homedir()),
  );
}
