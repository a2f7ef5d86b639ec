import { mergeFields } from '../conversation/tree/merge.ts';
import type { Field, Stamp } from '../conversation/tree/stamp.ts';
import type { Translate } from '../messages/translate.ts';

/** A text that a person has stored to reuse it by its name. */
export interface SavedPrompt {
  id: string;
  /** The name has no spaces, so that it can be typed after a slash. */
  name: Field<string>;
  text: Field<string>;
  /** A deleted prompt is kept for a day, so that it can be restored. */
  deleted: Field<boolean>;
}

export type Prompts = Record<string, SavedPrompt>;

/**
 * The longest name and text, in characters. The longest text is about as long as the system prompts of large providers.
 */
export const PROMPT_LIMITS = { name: 40, text: 20_000 };

export function newPrompt(id: string, name: string, text: string, at: Stamp): SavedPrompt {
  return { id, name: { value: name, at }, text: { value: text, at }, deleted: { value: false, at } };
}

/** Merges prompts: the later name, text and deletion of each. */
export function mergePrompts(known: Prompts, prompts: SavedPrompt[]): Prompts {
  const all = { ...known };
  for (const prompt of prompts) {
    const one = all[prompt.id];
    all[prompt.id] = one ? mergeFields(one, prompt) : prompt;
  }
  return all;
}

/** Returns the prompts that are not deleted, sorted by their names. */
export function listPrompts(prompts: Prompts): SavedPrompt[] {
  return Object.values(prompts)
    .filter(({ deleted }) => !deleted.value)
    .sort((one, other) => one.name.value.localeCompare(other.name.value) || (one.id < other.id ? -1 : 1));
}

/** Returns a name as it is stored: without slashes at its start, and with hyphens for spaces. */
export function cleanName(typed: string): string {
  return typed.trim().replace(/^\/+/, '').replace(/\s+/g, '-');
}

/**
 * Returns the reason, for people, why a prompt can't be stored; null if it can. `others` has all prompts except this
 * one.
 */
export function promptProblem(name: string, text: string, others: SavedPrompt[], t: Translate): string | null {
  if (name === '') return t('prompts.noName');
  if (name.length > PROMPT_LIMITS.name) return t('prompts.longName', { most: PROMPT_LIMITS.name });
  if (others.some((other) => isSameName(other.name.value, name))) return t('prompts.taken', { name });
  if (text.trim() === '') return t('prompts.noText');
  const most = PROMPT_LIMITS.text;
  return text.length > most ? t('prompts.longText', { most }) : null;
}

/** The beginning of a prompt's name that is being typed: `/na` at the start of a line. */
export interface PromptCall {
  /** The index of the slash. */
  from: number;
  /** The text after the slash. */
  typed: string;
}

/** Returns the prompt name that is being typed before the caret; null if there is none. */
export function callAt(text: string, caret: number): PromptCall | null {
  const [, typed] = /(?:^|\n)\/(\S*)$/.exec(text.slice(0, caret)) ?? [];
  return typed === undefined ? null : { from: caret - typed.length - 1, typed };
}

/** Returns the prompts that match: first the names that begin with `typed`, then the names that contain it. */
export function promptsFor(prompts: SavedPrompt[], typed: string): SavedPrompt[] {
  const words = typed.toLowerCase();
  const place = ({ name }: SavedPrompt) => name.value.toLowerCase().indexOf(words);
  return [...prompts.filter((one) => place(one) === 0), ...prompts.filter((one) => place(one) > 0)];
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
