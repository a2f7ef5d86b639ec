import type { ChatMessage } from '../../../src/contract/prompt.ts';
import type { Tool } from '../../../src/contract/tool.ts';
import { readData } from './data.ts';
import { declined } from './declines.ts';
import type { Dice } from './dice.ts';
import { greetings, helpIntents, type Intent, selfIntents, talkIntents } from './intents.ts';
import { neverTold, remembered, toldBySystem } from './memory.ts';
import { TAILS } from './paraphrase.ts';
import { expand, say } from './phrases.ts';
import { counted, echoed } from './repeat.ts';
import { someTools, toolTalk } from './tools.ts';
import * as w from './words.ts';

interface Exchange {
  role: 'user' | 'assistant';
  content: string;
}

/** One conversation of the training data. The replies of pico are the assistant's messages. */
export interface Conversation {
  messages: ChatMessage[];
  tools: Tool[];
}

const SYSTEM_MESSAGES = readData<string[]>('system-messages');

/** The share of questions from the intents in focus, if there are any. */
const FOCUS_SHARE = 0.5;

/** Makes a conversation of any kind. The intents in `focus` are more frequent. */
export function makeConversation(dice: Dice, focus: Intent[] = []): Conversation {
  const filler = () => exchange(dice, focus);
  const shortFiller = () => shortExchange(dice, focus);
  const kind = dice.between(1, 100);
  if (kind <= 42) {
    const talk = toolTalk(dice, filler);
    return withSystem(dice, talk.messages, talk.tools);
  }
  if (kind <= 50) {
    const told = dice.between(1, 10);
    if (told === 1) {
      const { system, talk } = toldBySystem(dice, shortFiller);
      return { messages: [{ role: 'system', content: system }, ...talk], tools: [] };
    }
    const talk = told === 2 ? neverTold(dice, shortFiller) : remembered(dice, shortFiller);
    return withSystem(dice, talk, maybeTools(dice, 0.04));
  }
  const messages: ChatMessage[] = [];
  for (let count = dice.pick([1, 1, 1, 2, 2, 3]); count > 0; count--) messages.push(...filler());
  return withSystem(dice, messages, maybeTools(dice, 0.14));
}

function withSystem(dice: Dice, messages: ChatMessage[], tools: Tool[]): Conversation {
  if (!dice.chance(0.22)) return { messages, tools };
  const content = dice.chance(0.8) ? dice.pick(SYSTEM_MESSAGES) : `${w.title(w.words(dice, dice.between(2, 8)))}.`;
  return { messages: [{ role: 'system', content }, ...messages], tools };
}

function maybeTools(dice: Dice, chance: number): Tool[] {
  return dice.chance(chance) ? someTools(dice) : [];
}

/** Makes a question of any kind and its answer. */
function exchange(dice: Dice, focus: Intent[]): Exchange[] {
  if (focus.length > 0 && dice.chance(FOCUS_SHARE)) return intent(dice, focus);
  const kind = dice.between(1, 100);
  if (kind <= 12) return intent(dice, greetings);
  if (kind <= 38) return intent(dice, selfIntents);
  if (kind <= 72) return intent(dice, helpIntents);
  if (kind <= 84) return intent(dice, talkIntents);
  if (kind <= 92) return turns(dice.chance(0.5) ? echoed(dice) : counted(dice));
  return turns(declined(dice));
}

/** Makes a short question and its answer, for the place between other turns. */
function shortExchange(dice: Dice, focus: Intent[]): Exchange[] {
  return dice.chance(0.5) ? intent(dice, dice.pick([greetings, talkIntents, selfIntents])) : exchange(dice, focus);
}

function intent(dice: Dice, intents: Intent[]) {
  const { ask, answer } = dice.pick(intents);
  const slots = {
    ...intentSlots(dice),
    port: String(dice.pick([dice.between(1024, 9999), dice.between(10000, 65000), 8080, 3000, 80])),
    junk: w.letters(dice, dice.between(2, 9)),
  };
  return turns({
    question: say(dice, dice.pick(ask) + (dice.chance(0.12) ? dice.pick(TAILS) : ''), slots),
    answer: expandAnswer(dice, dice.pick(answer), slots),
  });
}

function intentSlots(dice: Dice) {
  const animal = dice.pick(w.ANIMALS);
  const noun = dice.pick(w.NOUNS);
  return {
    name: w.name(dice, w.FIRST_NAMES),
    city: w.name(dice, w.CITIES),
    animal,
    animals: `${animal}s`,
    animal2: dice.pick(w.ANIMALS),
    noun,
    nouns: `${noun}s`,
    adj: dice.pick(w.ADJECTIVES),
    verb: dice.pick(w.VERBS),
    verb2: dice.pick(w.VERBS),
    food: dice.pick(w.FOODS),
    food2: dice.pick(w.FOODS),
  };
}

/** Expands an answer that has a slot. Other answers stay unchanged, because their braces may be JSON. */
function expandAnswer(dice: Dice, answer: string, slots: Record<string, string>): string {
  return answer.includes('$') ? expand(dice, answer, slots) : answer;
}

function turns({ question, answer }: { question: string; answer: string }) {
  return [
    { role: 'user' as const, content: question },
    { role: 'assistant' as const, content: answer },
  ];
}
