import type { Dice } from './dice.ts';
import { expand, say } from './phrases.ts';
import * as w from './words.ts';

/** Something that a user tells and later asks for. */
interface Fact {
  id: string;
  value: (dice: Dice) => string;
  tell: string[];
  /** What changes it later. */
  correct: string[];
  noted: string;
  ask: string[];
  recalled: string;
  unknown: string;
}

const lower = (list: readonly string[]) => (dice: Dice) => (dice.chance(0.55) ? dice.pick(list) : w.madeUpWord(dice));

const facts: Fact[] = [
  {
    id: 'name',
    value: (dice) => w.name(dice, w.FIRST_NAMES),
    tell: [
      'my name is $v',
      'i am $v',
      'i am called $v',
      'call me $v',
      'you can call me $v',
      'my name is $v, {what is yours|and yours|nice to meet you}',
      'hi, i am $v',
      'hello, my name is $v',
      'people call me $v',
      'this is $v',
      '$v here',
      'the name is $v',
      'my friends call me $v',
      'it is $v [speaking|here]',
      'hello pico, i am $v',
      'remember my name: $v',
      'my name? $v',
      'they call me $v',
      'please call me $v',
      'everyone calls me $v',
      'i go by $v',
      'name: $v',
      'hey there, $v here',
      'let me introduce myself: {i am|my name is} $v',
      'i am $v and i am new here',
      'my first name is $v',
      'good morning, i am $v',
      'just so you know, my name is $v',
      'remember that my name is $v',
      'please remember that i am $v',
      'hi! $v is my name',
      'you are talking to $v',
      'for the record, i am $v',
      'may i introduce myself, i am $v',
      'i was named $v',
      'greetings from $v',
      'am $v',
      'i am $v, hello',
    ],
    correct: [
      'actually, call me $v',
      'actually my name is $v',
      'no, my name is $v',
      'sorry, i meant $v',
      'please call me $v instead',
      'from now on call me $v',
      'i changed my name to $v',
      'oops, my name is $v',
      'wait, it is $v',
      'correction: my name is $v',
      'i lied, my name is $v',
      'not that, $v is my name',
      'no, i am $v',
      'i would rather be called $v',
      'that was wrong, i am $v',
      'let us say my name is $v',
      'forget that name, i am $v',
    ],
    noted: 'Nice to meet you, $v!',
    ask: [
      'what is my name',
      'who am i',
      'do you {know|remember|recall} my name',
      'what am i called',
      'what did i say my name was',
      '{can|could} you tell me my name',
      'tell me my name',
      'how am i called',
      'say my name',
      'and what was my name',
      'what do {people|my friends} call me',
      'do you {remember|know} who i am',
      'have you forgotten my name',
      'what is the name i gave you',
      'which name did i {tell|give} you',
      'my name is',
      'what should you call me',
      'remind me of my name',
      'what name do i have',
      'did you catch my name',
      'who are you talking to',
      'write my name',
      'repeat my name',
      'what was my name again',
      'what is my first name',
      'do you still {know|remember} my name',
      'i forgot my name, what is it',
      'my name, please',
      'can you remember my name',
      'by what name do you know me',
      'what was i called',
      'how do you call me',
    ],
    recalled: 'Your name is $v.',
    unknown: "You haven't told me your name yet.",
  },
  {
    id: 'city',
    value: (dice) => w.name(dice, w.CITIES),
    tell: [
      'i live in $v',
      'i am from $v',
      'i come from $v',
      'my home is $v',
      'i am in $v',
      'my city is $v',
      'my home town is $v',
      'i moved to $v',
      'i was born in $v',
      'i am writing from $v',
      'my house is in $v',
      'i stay in $v',
      'i have lived in $v for years',
      'home for me is $v',
      'we live in $v',
      'greetings from $v',
      'my hometown is $v',
      'i am based in $v',
      'i reside in $v',
      'here in $v, where i live, all is well',
      'i am at home in $v',
      'i grew up in $v',
    ],
    correct: [
      'actually i live in $v',
      'no, i live in $v',
      'sorry, i meant $v',
      'i moved to $v',
      'correction: i live in $v',
      'wait, it is $v',
      'now i live in $v',
      'i am in $v now',
      'i have since moved to $v',
    ],
    noted: '$v, good to know! I will remember where you live.',
    ask: [
      'where do i live',
      'where am i from',
      'what is my city',
      'which city do i live in',
      'what city {am i from|am i in|do i live in}',
      'do you {remember|know|recall} where i {live|am from|come from}',
      'where did i say i live',
      'tell me where i live',
      'where is my home',
      'what is my home town',
      'in which {city|town|place} do i live',
      'where do i come from',
      'what place am i from',
      'which town is my home',
      'where is home for me',
      'name my city',
      'can you tell me where i live',
      'what is the city i live in',
      'where was i born',
      'what is my hometown',
      'where do i stay',
    ],
    recalled: 'You live in $v.',
    unknown: "You haven't told me where you live yet.",
  },
  {
    id: 'colour',
    value: lower(w.COLOURS),
    tell: [
      'my favourite colour is $v',
      'my favorite color is $v',
      'i like the colour $v [best|most]',
      '$v is my favourite colour',
      '$v is my favorite color',
      'i love the color $v',
      'the colour i like most is $v',
      'my colour is $v',
      'the best colour is $v',
      'i like $v best of all colours',
      'i prefer the colour $v',
      'no colour is nicer than $v',
      'i am a fan of the color $v',
      'of all colours i like $v most',
    ],
    correct: [
      'actually my favourite colour is $v',
      'no, my favorite color is $v',
      'now i prefer the colour $v',
      'i changed my mind, my favourite colour is $v',
      'sorry, i meant $v',
    ],
    noted: '$v is a nice colour! I will remember that.',
    ask: [
      'what is my favourite colour',
      'what is my favorite color',
      'which colour do i like [best|most]',
      'what color do i like [best|most]',
      'do you {remember|know} my favourite colour',
      'do you {remember|know} my favorite color',
      'tell me my favourite colour',
      'what colour did i say i like',
      'which color is my favorite',
      'what is the colour i like',
      'my favourite colour is',
      'name my favourite colour',
      'what was my favourite colour',
      'which colour did i name',
      'and my favorite color',
    ],
    recalled: 'Your favourite colour is $v.',
    unknown: "You haven't told me your favourite colour yet.",
  },
  {
    id: 'food',
    value: lower(w.FOODS),
    tell: [
      'my favourite food is $v',
      'my favorite food is $v',
      'i love to eat $v',
      'i like to eat $v [most|best]',
      '$v is my favourite food',
      'i love eating $v',
      'the food i like most is $v',
      'the best food is $v',
      'i could eat $v every day',
      'my favorite dish is $v',
      'my favourite meal is $v',
    ],
    correct: [
      'actually my favourite food is $v',
      'no, my favorite food is $v',
      'i changed my mind, my favourite food is $v',
    ],
    noted: '$v sounds tasty! I will remember that.',
    ask: [
      'what is my favourite food',
      'what is my favorite food',
      'what do i {like|love} to eat',
      'which food do i like [best|most]',
      'do you {remember|know} my favourite food',
      'tell me my favorite food',
      'what food did i say i like',
      'what was my favourite food',
      'what could i eat every day',
      'name my favourite food',
      'what is my favourite {dish|meal}',
      'what do i enjoy eating',
    ],
    recalled: 'Your favourite food is $v.',
    unknown: "You haven't told me your favourite food yet.",
  },
  {
    id: 'pet',
    value: (dice) => w.name(dice, w.FIRST_NAMES),
    tell: [
      'my {dog|cat} is called $v',
      'my {dog|cat|pet} is named $v',
      'my pet is called $v',
      'the name of my {dog|cat|pet} is $v',
      'i have a {dog|cat|rabbit|parrot|hamster} called $v',
      'i have a {dog|cat|rabbit|parrot|hamster} named $v',
      'i have a pet and its name is $v',
      'we have a {dog|cat} called $v',
      "my {dog|cat|pet}'s name is $v",
      'we named our {dog|cat} $v',
      'i got a new {dog|cat} called $v',
      'my {dog|cat} answers to $v',
      'our pet is $v',
    ],
    correct: ['actually my pet is called $v', 'no, my pet is called $v'],
    noted: '$v is a nice name for a pet! I will remember it.',
    ask: [
      'what is my pet called',
      "what is my pet's name",
      'what is the name of my {pet|dog|cat}',
      'what is my {dog|cat} called',
      "what is my {dog|cat}'s name",
      'do you {remember|know} {the name of my pet|my pet|what my pet is called|how my pet is called}',
      'tell me the name of my pet',
      'who is my pet',
      'what did i call my {dog|cat|pet}',
      'how is my {dog|cat|pet} called',
      'what did i say my {dog|cat|pet} is called',
      'name my {pet|dog|cat}',
      'what was the name of my {pet|dog|cat}',
    ],
    recalled: 'Your pet is called $v.',
    unknown: "You haven't told me about your pet yet.",
  },
  {
    id: 'job',
    value: lower(w.JOBS),
    tell: [
      'i am a $v',
      'i work as a $v',
      'my job is $v',
      'i am a $v by profession',
      'my profession is $v',
      'for a living i am a $v',
      'i earn my money as a $v',
      'i am working as a $v',
      'by trade i am a $v',
      'i have a job as a $v',
      'i make my living as a $v',
    ],
    correct: ['actually i am a $v', 'no, i work as a $v', 'now i work as a $v'],
    noted: 'A $v, how interesting! I will remember that.',
    ask: [
      'what is my job',
      'what do i do for a living',
      'what is my profession',
      'what do i work as',
      'do you {remember|know} {my job|what i do|what my job is|my profession}',
      'tell me my job',
      'which job do i have',
      'what did i say my job is',
      'what am i by profession',
      'what is my occupation',
      'what kind of work do i do',
      'how do i earn my money',
      'what was my job',
    ],
    recalled: 'You are a $v.',
    unknown: "You haven't told me your job yet.",
  },
  {
    id: 'age',
    value: (dice) => String(dice.between(5, 99)),
    tell: [
      'i am $v years old',
      'my age is $v',
      'i am $v',
      'i turned $v',
      'i will soon be $v years old',
      'i just turned $v',
      'i have been alive for $v years',
      'i am aged $v',
    ],
    correct: ['actually i am $v years old', 'no, i am $v', 'sorry, i am $v years old'],
    noted: '$v years old, good to know!',
    ask: [
      'how old am i',
      'what is my age',
      'do you {remember|know} {how old i am|my age}',
      'tell me my age',
      'how old did i say i am',
      'how many years old am i',
      'what was my age',
      'say how old i am',
      'my age please',
    ],
    recalled: 'You are $v years old.',
    unknown: "You haven't told me your age yet.",
  },
  {
    id: 'hobby',
    value: lower(w.HOBBIES),
    tell: [
      'my hobby is $v',
      'i like $v',
      'i love $v',
      'in my free time i do $v',
      'i enjoy $v',
      '$v is my hobby',
      'my favourite hobby is $v',
      'i am into $v',
      'for fun i do $v',
      'i spend my weekends with $v',
      'i am fond of $v',
    ],
    correct: ['actually my hobby is $v', 'no, my hobby is $v'],
    noted: '$v sounds like fun! I will remember that.',
    ask: [
      'what is my hobby',
      'what do i do in my free time',
      'what do i {enjoy|like to do}',
      'do you {remember|know} my hobby',
      'tell me my hobby',
      'which hobby do i have',
      'what did i say my hobby is',
      'what do i do for fun',
      'what was my hobby',
      'what am i into',
      'what do i like',
    ],
    recalled: 'Your hobby is $v.',
    unknown: "You haven't told me your hobby yet.",
  },
  {
    id: 'friend',
    value: (dice) => w.name(dice, w.FIRST_NAMES),
    tell: [
      'my {best |}friend is called $v',
      "my {best |}friend's name is $v",
      'my {best |}friend is $v',
      'the name of my {best |}friend is $v',
      'i have a friend called $v',
      'i have a friend named $v',
      '$v is my {best |}friend',
      'my {best |}friend is named $v',
    ],
    correct: ['actually my friend is called $v', 'no, my friend is $v'],
    noted: '$v is lucky to have you as a friend! I will remember that.',
    ask: [
      "what is my friend's name",
      'what is my friend called',
      'what is the name of my friend',
      'who is my {best |}friend',
      'do you {remember|know} my friend',
      'do you {remember|know} the name of my {best |}friend',
      'tell me the name of my friend',
      'name my friend',
      "what was my friend's name",
      'how is my friend called',
    ],
    recalled: 'Your friend is called $v.',
    unknown: "You haven't told me about your friend yet.",
  },
  {
    id: 'number',
    value: (dice) =>
      dice.chance(0.5)
        ? w.numberText(dice)
        : dice.chance(0.5)
          ? `${w.letters(dice, dice.between(1, 3)).toUpperCase()}${dice.between(1, 999)}`
          : w.madeUpWord(dice),
    tell: [
      'remember {this|the word|the number|the code|this code|this word|this number}: $v',
      'the {secret|magic} {word|number|code} is $v',
      'my {lucky|favourite|secret|favorite} {number|word} is $v',
      'please remember $v',
      'the {code|password|secret} is $v',
      'keep {this|the code|the number|the word} in mind: $v',
      'remember $v [for me|for later]',
      'memorize {this|the word|the code|the number}: $v',
      'note {this|the code} down: $v',
      'i tell you a secret: $v',
      'do not forget: $v',
      'store {this|the code} for me: $v',
    ],
    correct: ['actually the code is $v', 'no, remember this: $v', 'the new code is $v'],
    noted: 'I will remember it: $v.',
    ask: [
      'what {did i ask you to remember|should you remember|was it that you should remember}',
      'what is the {secret|code|secret word|secret number|magic word|password|number|word|secret code}',
      'do you remember the {code|word|number|secret|password}',
      'tell me the {code|secret|secret word|number|password|word}',
      'what was the {code|secret|word|number|password}',
      'what is my {lucky|favourite|secret|favorite} {number|word}',
      'what did i tell you to remember',
      'what did you memorize',
      'repeat the {code|secret|word|number} [i gave you]',
      'which {code|word|number} did i {give|tell} you',
      'what did you {note|store} [for me]',
      'recall the {code|word|number|secret}',
    ],
    recalled: 'It is $v.',
    unknown: "You haven't asked me to remember anything yet.",
  },
];

export interface Turn {
  role: 'user' | 'assistant';
  content: string;
}

const turns = (question: string, answer: string): Turn[] => [
  { role: 'user', content: question },
  { role: 'assistant', content: answer },
];

/** A conversation in which something is told and asked for later; `filler` makes what is said in between. */
export function remembered(dice: Dice, filler: () => Turn[]): Turn[] {
  const told = dice.sample(dice.chance(0.5) ? (facts.slice(0, 2) as Fact[]) : facts, dice.pick([1, 1, 1, 2, 2, 3]));
  const values = new Map<string, string>();
  const talk: Turn[] = dice.chance(0.15) ? filler() : [];
  if (told.length === 2 && dice.chance(0.35)) talk.push(...tellTwo(dice, told as [Fact, Fact], values));
  else
    for (const fact of told) talk.push(...tell(dice, fact, fact.tell, values), ...(dice.chance(0.25) ? filler() : []));
  for (let count = dice.pick([0, 0, 1, 1, 2, 3]); count > 0; count--) talk.push(...filler());
  if (dice.chance(0.25)) {
    const fact = dice.pick(told);
    talk.push(...tell(dice, fact, fact.correct, values), ...(dice.chance(0.3) ? filler() : []));
  }
  const asked = dice.chance(0.12) ? dice.pick(facts) : dice.pick(told);
  talk.push(...recall(dice, asked, values));
  if (dice.chance(0.35)) talk.push(...(dice.chance(0.3) ? filler() : []), ...recall(dice, dice.pick(told), values));
  return talk;
}

/** Something asked for that was never told. */
export function neverTold(dice: Dice, filler: () => Turn[]): Turn[] {
  return [...(dice.chance(0.4) ? filler() : []), ...recall(dice, dice.pick(facts), new Map())];
}

/** What the system prompt says about the user. */
export function toldBySystem(dice: Dice, filler: () => Turn[]): { system: string; talk: Turn[] } {
  const { phrase, fact } = dice.pick([
    { phrase: "{The|This} user's name is $v.", fact: facts[0] },
    { phrase: 'The user is called $v.', fact: facts[0] },
    { phrase: 'You are talking to $v.', fact: facts[0] },
    { phrase: 'The user lives in $v.', fact: facts[1] },
    { phrase: 'The user is in $v.', fact: facts[1] },
    { phrase: "The user's favourite colour is $v.", fact: facts[2] },
  ]) as { phrase: string; fact: Fact };
  const v = fact.value(dice);
  const talk = [...(dice.chance(0.4) ? filler() : []), ...recall(dice, fact, new Map([[fact.id, v]]))];
  return { system: expand(dice, phrase, { v }), talk };
}

function tell(dice: Dice, fact: Fact, phrases: string[], values: Map<string, string>): Turn[] {
  const v = fact.value(dice);
  values.set(fact.id, v);
  return turns(say(dice, dice.pick(phrases), { v }), expand(dice, fact.noted, { v: capital(fact.noted, v) }));
}

function tellTwo(dice: Dice, [first, second]: [Fact, Fact], values: Map<string, string>): Turn[] {
  const v = first.value(dice);
  const u = second.value(dice);
  values.set(first.id, v).set(second.id, u);
  const question = say(
    dice,
    `${dice.pick(first.tell)}${dice.pick([' and ', ', ', ' and ', '. '])}${dice.pick(second.tell).replaceAll('$v', '$u')}`,
    { v, u },
  );
  const answer =
    first.id === 'name' ? `Nice to meet you, ${v}! I will remember that.` : 'Good to know! I will remember that.';
  return turns(question, answer);
}

function recall(dice: Dice, fact: Fact, values: Map<string, string>): Turn[] {
  const v = values.get(fact.id);
  return turns(say(dice, dice.pick(fact.ask)), v === undefined ? fact.unknown : expand(dice, fact.recalled, { v }));
}

/** A value that an answer begins with is written with a capital. */
function capital(answer: string, value: string): string {
  return answer.startsWith('$v') ? w.title(value) : value;
}
