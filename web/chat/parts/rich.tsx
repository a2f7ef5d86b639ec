import type { ComponentChildren } from 'preact';
import { t } from '../messages/language.ts';
import type { MessageKey, Values } from '../messages/translate.ts';

/** Translates a message whose placeholders are replaced by elements. */
export function rich(
  key: MessageKey,
  elements: Record<string, ComponentChildren>,
  values: Values = {},
): ComponentChildren[] {
  return t(key, values)
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? part : elements[part]));
}
