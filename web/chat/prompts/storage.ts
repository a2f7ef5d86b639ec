import * as v from 'valibot';
import { namesWith, readText, writeText } from '../state/safe-storage.ts';
import { promptSchema } from '../state/stored.ts';
import { mergePrompts, type Prompt } from './prompts.ts';

// Each prompt has an item of its own, so that two tabs that change two prompts do not meet.
const BEGINNING = 'paddock-prompt:';

/** True if an item of the storage with this name is a prompt. */
export function isStoredPrompt(name: string): boolean {
  return name.startsWith(BEGINNING);
}

/** Reads all prompts. What is none is left out. */
export function readPrompts(): Prompt[] {
  return namesWith('localStorage', BEGINNING).flatMap((name) => readPrompt(name) ?? []);
}

/** Joins a prompt to what another tab may have stored of it. Returns false if the browser does not store it. */
export function storePrompt(prompt: Prompt): boolean {
  const name = BEGINNING + prompt.id;
  const known = readPrompt(name);
  const { [prompt.id]: joined = prompt } = mergePrompts({}, known ? [known, prompt] : [prompt]);
  return writeText('localStorage', name, JSON.stringify(joined));
}

export function removePrompt(id: string): void {
  writeText('localStorage', BEGINNING + id, null);
}

function readPrompt(name: string): Prompt | null {
  try {
    const read = v.safeParse(promptSchema, JSON.parse(readText('localStorage', name) ?? 'null'));
    return read.success ? read.output : null;
  } catch {
    return null;
  }
}
