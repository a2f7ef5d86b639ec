import { homedir } from 'node:os';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { UsageError } from '../errors.ts';
import type { ConfigFile } from './file.ts';
import { type Config, SETTING_NAMES, SETTINGS, type Setting, type SettingName } from './settings.ts';

/** Where configuration comes from, the strongest first. */
export interface ConfigSources {
  /** By the settings' names; absent where no flag was given. */
  flags: Partial<Record<SettingName, unknown>>;
  env: NodeJS.ProcessEnv;
  file: ConfigFile | undefined;
}

/**
 * The configuration by flags, then environment, then file, then defaults.
 * Throws a `UsageError` naming the flag, the variable or the file's key that is wrong, and what it must be; a file is
 * checked whole, also where something stronger overrules it.
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
    const valid = validate(setting, value, origin);
    return { value: setting.path ? toPath(String(valid), folder) : valid };
  });
  return strongest ? strongest.value : setting.fallback(env);
}

function validate(setting: Setting<unknown>, value: unknown, origin: string): unknown {
  const result = v.safeParse(setting.schema, value);
  if (result.success) return result.output;
  throw new UsageError(`${origin} ${result.issues[0].message}`);
}

/** An empty variable says nothing, as where a container's set-up passes on what nobody set. */
function fromEnv({ list }: Setting<unknown>, value: string | undefined): unknown {
  if (!value) return undefined;
  if (!list) return value;
  const items = value.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function toPath(path: string, folder: string): string {
  return resolve(folder, path.replace(/^~(?=\/|$)/, homedir()));
}
