import { readData } from './data.ts';

/** A question of users, in phrases for `expand`, and its answer. */
export interface Intent {
  /** For readers and test messages; no conversation holds it. */
  about: string;
  /** Wordings of the same answer. With more than one, pico is less sure of each. */
  answer: string[];
  ask: string[];
}

/** How conversations begin and end. */
export const greetings = readData<Intent[]>('intents-greetings');
/** Questions about pico itself. */
export const selfIntents = readData<Intent[]>('intents-self');
/** Questions about Paddock. */
export const helpIntents = readData<Intent[]>('intents-help');
/** Small talk. */
export const talkIntents = readData<Intent[]>('intents-talk');

/** Returns the intents with these names. Throws if there is no such intent. */
export function intentsAbout(names: string[]): Intent[] {
  const all = [...greetings, ...selfIntents, ...helpIntents, ...talkIntents];
  return names.map((name) => {
    const found = all.find(({ about }) => about === name);
    if (!found) throw new Error(`no intent is about "${name}"`);
    return found;
  });
}
