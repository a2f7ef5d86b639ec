import type { ChatMessage } from '../../../src/core/runner.ts';
import type { Tool } from '../../../src/core/tool.ts';
import { declined } from './declines.ts';
import type { Dice } from './dice.ts';
import type { Intent } from './intent.ts';
import { helpIntents } from './intents-help.ts';
import { selfIntents } from './intents-self.ts';
import { greetings, talkIntents } from './intents-talk.ts';
import { neverTold, remembered, toldBySystem } from './memory.ts';
import { expand, say } from './phrases.ts';
import { counted, echoed } from './repeat.ts';
import { someTools, toolTalk } from './tools.ts';
import * as w from './words.ts';

/** One conversation to learn from; pico's turns are those of the assistant. */
export interface Conversation {
  messages: ChatMessage[];
  tools: Tool[];
}

const SYSTEM = [
  'You are a helpful assistant.',
  'You are pico.',
  'You are pico, a tiny chat model.',
  'Be brief.',
  'Be polite.',
  'Answer in English.',
  'You are a friendly assistant.',
  'You are an assistant.',
  'Answer briefly.',
  'You are a chat bot.',
  'You are a helpful AI assistant. Answer truthfully.',
  'Be helpful and short.',
  'Use the tools if they help.',
  'You can call tools.',
  'Please answer in one sentence.',
  'You are an assistant that can use tools.',
  'Today is a nice day.',
  'Keep answers short.',
  'You are running on Paddock.',
  'You are a demo.',
  'Respond to the user.',
  'You help users of Paddock.',
];

/** What people add to a question without meaning much by it. */
const TAILS = [
  ' {on|with|from|at|in|for} {my|the|this|a} [$adj] $noun',
  ' {here|there|at home|at work|at the moment|these days|this time|for once|for a friend|for the first time|for now|on this machine|in the end|so far|all in all|somehow|so to speak|to be honest|if i may ask|if you like|for example|in $city|in my case|in real life|the other day}',
  ', {i wonder|i am curious|i forgot|my friend asked|i need it for my $noun|it is for my $noun|i could not find it|i am not sure|it is urgent|no hurry|just asking|i am asking for $name|says $name|my dear|dear|mate|little one|sir|buddy|old friend|if you do not mind|do you hear me}',
];

/** A conversation of any kind. */
export function makeConversation(dice: Dice): Conversation {
  const kind = dice.between(1, 100);
  if (kind <= 42) {
    const talk = toolTalk(dice, () => exchange(dice));
    return withSystem(dice, talk.messages, talk.tools);
  }
  if (kind <= 50) {
    const told = dice.between(1, 10);
    if (told === 1) {
      const { system, talk } = toldBySystem(dice, () => shortExchange(dice));
      return { messages: [{ role: 'system', content: system }, ...talk], tools: [] };
    }
    const talk = told === 2 ? neverTold(dice, () => shortExchange(dice)) : remembered(dice, () => shortExchange(dice));
    return withSystem(dice, talk, maybeTools(dice, 0.04));
  }
  const messages: ChatMessage[] = [];
  for (let count = dice.pick([1, 1, 1, 2, 2, 3]); count > 0; count--) messages.push(...exchange(dice));
  return withSystem(dice, messages, maybeTools(dice, 0.14));
}

function withSystem(dice: Dice, messages: ChatMessage[], tools: Tool[]): Conversation {
  if (!dice.chance(0.22)) return { messages, tools };
  const content = dice.chance(0.8) ? dice.pick(SYSTEM) : `${w.title(w.words(dice, dice.between(2, 8)))}.`;
  return { messages: [{ role: 'system', content }, ...messages], tools };
}

function maybeTools(dice: Dice, chance: number): Tool[] {
  return dice.chance(chance) ? someTools(dice) : [];
}

/** A question and its answer, of any kind that needs nothing else. */
function exchange(dice: Dice): { role: 'user' | 'assistant'; content: string }[] {
  const kind = dice.between(1, 100);
  if (kind <= 12) return intent(dice, greetings);
  if (kind <= 38) return intent(dice, selfIntents);
  if (kind <= 72) return intent(dice, helpIntents);
  if (kind <= 84) return intent(dice, talkIntents);
  if (kind <= 92) return turns(dice.chance(0.5) ? echoed(dice) : counted(dice));
  return turns(declined(dice));
}

/** One that is short, to stand between others. */
function shortExchange(dice: Dice): { role: 'user' | 'assistant'; content: string }[] {
  return dice.chance(0.5) ? intent(dice, dice.pick([greetings, talkIntents, selfIntents])) : exchange(dice);
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

/** An answer is expanded only where it has a slot: its braces may be JSON. */
function expandAnswer(dice: Dice, answer: string, slots: Record<string, string>): string {
  return answer.includes('$') ? expand(dice, answer, slots) : answer;
}

function turns({ question, answer }: { question: string; answer: string }) {
  return [
    { role: 'user' as const, content: question },
    { role: 'assistant' as const, content: answer },
  ];
}
