import { readData } from './data.ts';

/** A thing that people ask, in phrases as `expand` takes them, and its answer. */
export interface Intent {
  /** For readers and test messages; no conversation holds it. */
  about: string;
  /** Wordings of the same answer. More than one makes pico less sure of each. */
  answer: string[];
  ask: string[];
}

/** How conversations begin and end. */
export const greetings = readData<Intent[]>('intents-greetings');
/** What pico says about itself. */
export const selfIntents = readData<Intent[]>('intents-self');
/** What pico knows about Paddock. */
export const helpIntents = readData<Intent[]>('intents-help');
/** Small talk. */
export const talkIntents = readData<Intent[]>('intents-talk');

/** The intents about these things. Throws for one that no intent is about. */
export function intentsAbout(names: string[]): Intent[] {
  const all = [...greetings, ...selfIntents, ...helpIntents, ...talkIntents];
  return names.map((name) => {
    const found = all.find(({ about }) => about === name);
    if (!found) throw new Error(`no intent is about "${name}"`);
    return found;
  });
}
