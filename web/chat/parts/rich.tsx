import type { ComponentChildren } from 'preact';
import { t } from '../messages/language.ts';
import type { MessageKey, Values } from '../messages/translate.ts';

/** Puts a message into words that has elements in it: each stands in the place of its placeholder. */
export function rich(
  key: MessageKey,
  elements: Record<string, ComponentChildren>,
  values: Values = {},
): ComponentChildren[] {
  return t(key, values)
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? part : elements[part]));
}
