import { isObject, parseObject } from '../../utils/json.ts';
import { parseModelJson } from '../model-json.ts';
import type { ModelfileDefaults } from './defaults.ts';

/**
 * Returns the new text of a model.json: with the defaults of a Modelfile as the profile `name`, which replaces one of
 * this name, or among the model's own if `name` is null. `existing` is its present text; null if there is none. Throws
 * an `Error` that names the wrong field, and leaves everything else as it is.
 */
export function withDefaults(
  existing: string | null,
  { settings, parameters }: Pick<ModelfileDefaults, 'settings' | 'parameters'>,
  name: string | null,
): string {
  const before = existing === null ? {} : parseObject(existing);
  if (!before) throw new Error('The file must be a JSON object.');
  const filled = (given: Record<string, unknown>, key: string, old: unknown) => {
    const all = { ...(isObject(old) ? old : {}), ...given };
    return Object.keys(all).length > 0 ? { [key]: all } : {};
  };
  const after =
    name === null
      ? {
          ...before,
          ...filled(settings, 'settings', before.settings),
          ...filled(parameters, 'parameters', before.parameters),
        }
      : {
          ...before,
          profiles: {
            ...(isObject(before.profiles) ? before.profiles : {}),
            [name]: { ...filled(settings, 'settings', null), ...filled(parameters, 'parameters', null) },
          },
        };
  const text = `${JSON.stringify(after, null, 2)}\n`;
  parseModelJson(text);
  return text;
}
