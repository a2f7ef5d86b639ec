import type { Catalogue } from '../../contract/models/model.ts';
import type { Config } from '../../serve/config/settings.ts';
import { readKeysFile } from '../../serve/keys/keys-file.ts';
import { counted } from '../../serve/output.ts';
import { preloadedIds } from '../../serve/preload.ts';
import { messageOf } from '../../utils/error-message.ts';
import type { Finding } from './finding.ts';

/**
 * Checks the files and models without which a server would not start: the file of keys, and the models of `--preload`.
 */
export function checkStart(config: Pick<Config, 'keys' | 'preload'>, catalogue: Catalogue): Finding[] {
  return [...checkKeys(config.keys, catalogue), ...checkPreloaded(config.preload, catalogue)];
}

function checkKeys(file: string | undefined, catalogue: Pick<Catalogue, 'find'>): Finding[] {
  if (file === undefined) return [];
  const finding = { id: 'keys', title: 'keys' };
  try {
    const keys = readKeysFile(file);
    const astray = keys.flatMap(({ name, models = [] }) =>
      models.filter((id) => !catalogue.find(id)).map((id) => `${name} may use the model ${id}, which does not exist`),
    );
    const detail = [`${file}, ${counted(keys.length, 'key')}`, ...astray].join('; ');
    return [{ ...finding, status: astray.length > 0 ? 'warn' : 'ok', detail }];
  } catch (error) {
    return [{ ...finding, status: 'fail', detail: messageOf(error) }];
  }
}

function checkPreloaded(names: string[], catalogue: Catalogue): Finding[] {
  if (names.length === 0) return [];
  const finding = { id: 'preload', title: 'preload' };
  try {
    return [{ ...finding, status: 'ok', detail: preloadedIds(names, catalogue).join(', ') }];
  } catch (error) {
    return [{ ...finding, status: 'fail', detail: messageOf(error) }];
  }
}
