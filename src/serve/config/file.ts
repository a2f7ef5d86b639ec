import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isObject } from '../../utils/json.ts';
import { UsageError } from '../errors.ts';
import { paddockHome } from '../home.ts';
import { parseGivenJson, readGivenFile } from './given-file.ts';
import { SETTING_NAMES, type SettingName } from './settings.ts';

/** The content of a configuration file. Its keys are checked, its values are not. */
export interface ConfigFile {
  path: string;
  /** The folder that its relative paths start from. */
  folder: string;
  values: Partial<Record<SettingName, unknown>>;
}

/**
 * Reads the file that `--config` or `PADDOCK_CONFIG` names, or else `config.json` in Paddock's home, if it exists.
 * Throws a `UsageError` that names the file, and the key if one is unknown.
 */
export function readConfigFile(flag: string | undefined, env: NodeJS.ProcessEnv): ConfigFile | undefined {
  const named = flag ?? (env.PADDOCK_CONFIG || undefined);
  const path = resolve(named ?? join(paddockHome(env), 'config.json'));
  if (!existsSync(path)) {
    if (named === undefined) return undefined;
    throw new UsageError(`there is no configuration file ${path}`);
  }
  return { path, folder: dirname(path), values: parse(path, readGivenFile(path, path)) };
}

function parse(path: string, text: string): ConfigFile['values'] {
  const values = parseGivenJson(text, path);
  if (!isObject(values)) throw new UsageError(`${path} must be a JSON object`);
  checkKeys(values, path);
  return values;
}

/**
 * Throws a `UsageError` if a key of `values` is not the name of a setting. `origin` names their source in the message.
 */
export function checkKeys(values: object, origin: string): void {
  const unknown = Object.keys(values).find((key) => !(SETTING_NAMES as string[]).includes(key));
  if (unknown !== undefined)
    throw new UsageError(`${origin} has the unknown key "${unknown}"; the keys are ${SETTING_NAMES.join(', ')}`);
}
