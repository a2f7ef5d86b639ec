import * as v from 'valibot';
import { namesWith, readStoredText, writeStoredText } from '../state/safe-storage.ts';
import { promptSchema } from '../state/stored.ts';
import { mergePrompts, type SavedPrompt } from './prompts.ts';

// Each prompt has its own item, so that two tabs can change two prompts without overwriting each other.
const BEGINNING = 'paddock-prompt:';

/** True if an item of the storage with this name is a prompt. */
export function isStoredPrompt(name: string): boolean {
  return name.startsWith(BEGINNING);
}

/** Reads all prompts. Invalid items are left out. */
export function readPrompts(): SavedPrompt[] {
  return namesWith('localStorage', BEGINNING).flatMap((name) => readPrompt(name) ?? []);
}

/**
 * Merges a prompt with the version that another tab may have stored. Returns false if the browser does not store it.
 */
export function storePrompt(prompt: SavedPrompt): boolean {
  const name = BEGINNING + prompt.id;
  const known = readPrompt(name);
  const { [prompt.id]: joined = prompt } = mergePrompts({}, known ? [known, prompt] : [prompt]);
  return writeStoredText('localStorage', name, JSON.stringify(joined));
}

export function removePrompt(id: string): void {
  writeStoredText('localStorage', BEGINNING + id, null);
}

function readPrompt(name: string): SavedPrompt | null {
  try {
    const read = v.safeParse(promptSchema, JSON.parse(readStoredText('localStorage', name) ?? 'null'));
    return read.success ? read.output : null;
  } catch {
    return null;
  }
}
