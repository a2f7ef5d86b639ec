import { mergeFields } from '../conversation/tree/merge.ts';
import type { Field, Stamp } from '../conversation/tree/stamp.ts';
import type { Translate } from '../messages/translate.ts';

/** A text that a person has written once, to say it again by its name. */
export interface SavedPrompt {
  id: string;
  /** Without spaces, so that it can be typed after a slash. */
  name: Field<string>;
  text: Field<string>;
  /** A deleted prompt stays for a while, so that it can be restored. */
  deleted: Field<boolean>;
}

export type Prompts = Record<string, SavedPrompt>;

/** In characters. The text is about as long as a system prompt of the large providers. */
export const PROMPT_LIMITS = { name: 40, text: 20_000 };

export function newPrompt(id: string, name: string, text: string, at: Stamp): SavedPrompt {
  return { id, name: { value: name, at }, text: { value: text, at }, deleted: { value: false, at } };
}

/** Joins prompts to those that are known: the later name, text and deletion of each. */
export function mergePrompts(known: Prompts, prompts: SavedPrompt[]): Prompts {
  const all = { ...known };
  for (const prompt of prompts) {
    const one = all[prompt.id];
    all[prompt.id] = one ? mergeFields(one, prompt) : prompt;
  }
  return all;
}

/** The prompts that are not deleted, by their names. */
export function listPrompts(prompts: Prompts): SavedPrompt[] {
  return Object.values(prompts)
    .filter(({ deleted }) => !deleted.value)
    .sort((one, other) => one.name.value.localeCompare(other.name.value) || (one.id < other.id ? -1 : 1));
}

/** A name as it is kept: without slashes before it, and with hyphens for spaces. */
export function cleanName(typed: string): string {
  return typed.trim().replace(/^\/+/, '').replace(/\s+/g, '-');
}

/** Says for people why a prompt can't be kept so; null if it can. `others` are all prompts but this one. */
export function promptProblem(name: string, text: string, others: SavedPrompt[], t: Translate): string | null {
  if (name === '') return t('prompts.noName');
  if (name.length > PROMPT_LIMITS.name) return t('prompts.longName', { most: PROMPT_LIMITS.name });
  if (others.some((other) => isSameName(other.name.value, name))) return t('prompts.taken', { name });
  if (text.trim() === '') return t('prompts.noText');
  const most = PROMPT_LIMITS.text;
  return text.length > most ? t('prompts.longText', { most }) : null;
}

/** A prompt that is being called: `/na` at the beginning of a line. */
export interface PromptCall {
  /** Where its slash is. */
  from: number;
  /** What was typed after the slash. */
  typed: string;
}

/** Returns what is called before the caret; null for nothing. */
export function callAt(text: string, caret: number): PromptCall | null {
  const [, typed] = /(?:^|\n)\/(\S*)$/.exec(text.slice(0, caret)) ?? [];
  return typed === undefined ? null : { from: caret - typed.length - 1, typed };
}

/** The prompts that may be meant: those whose names begin so, then those that have it in their names. */
export function promptsFor(prompts: SavedPrompt[], typed: string): SavedPrompt[] {
  const words = typed.toLowerCase();
  const place = ({ name }: SavedPrompt) => name.value.toLowerCase().indexOf(words);
  return [...prompts.filter((one) => place(one) === 0), ...prompts.filter((one) => place(one) > 0)];
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
