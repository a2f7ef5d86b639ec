import type { Dice } from './dice.ts';
import { say } from './phrases.ts';
import * as w from './words.ts';

export interface Exchange {
  question: string;
  answer: string;
}

const ECHO = [
  '{please |kindly |now |just |}{repeat|say|echo|write|type|print|recite|return|copy|spell|quote|put|post|give|speak|state} {these words|this|the following|this sentence|this line|this text|the next words|the words that follow|this phrase|what follows|the line below|my sentence|the text below|something|for me|back|out} {exactly|word for word|for me|back to me|please|once|as it is|without changes|aloud|}: $text',
  'i {would like|want|need|ask} you to {repeat|say|echo|write|type} {these words|this|the following|this sentence|this line|after me|exactly this|the phrase|the words|}: $text',
  'would you {please |kindly |}{repeat|say|echo|write|type|read} $quoted {for me|back to me|back|to me|please|aloud|}',
  '{repeat|say|echo|write|read|send|give|type} back [to me] {what i {say|write|type} [here|now|next]|this|these words|my words|the following}: $text',
  '{please |kindly |}{repeat|say|echo|write|type} $quoted',
  'say after me: $text',
  'say this with me: $text',
  'let us hear it: $text',
  'speak after me: $text',
  'be my echo: $text',
  'be a parrot and {repeat|say}: $text',
  'play parrot: $text',
  'tell me $quoted',
  'the text to {repeat|echo|copy} is: $text',
  'i say {something|a word|a sentence} and you repeat it: $text',

  'repeat {after me|this|the following|what i say|exactly this|the words|this text|this sentence|this phrase|the text|the sentence|these words|this back to me|this word for word}: $text',
  '{say|echo|write|type|print|output|copy|parrot|quote|return|reply with|answer with|respond with}: $text',
  '{say|echo|repeat|write|copy|print|type} {this|exactly|the following|back|after me|the words|this text|this line}: $text',
  '{can|could|would|will} you {repeat|say|echo|write|copy} {this|the following|after me}: $text',
  'please {say|repeat|echo|write} $quoted',
  '{say|repeat|echo|write|type|print|spell out} $quoted',
  '{say|repeat|write|type} the {word|words|phrase|sentence|text} $quoted',
  'i want you to {say|repeat|echo|write} {$quoted|this: $text}',
  '{can|could|would} you {say|repeat|echo|write} $quoted',
  'after me: $text',
  'your answer should be {exactly |}$quoted',
  '{answer|reply|respond} {only |just |}with $quoted',
  '{answer|reply|respond} {only |just |}with {the word|the words|this|this text|exactly this}: $text',
  'echo $text',
  'echo: $text',
  'repeat: $text',
  'just say $quoted',
  'just {say|repeat|write}: $text',
  'now {say|repeat|write}: $text',
  '{say|repeat} it after me: $text',
  'copy {this text|this|these words|the text} {exactly|word for word|}: $text',
  'let me {hear|see} you say $quoted',
  'tell me {the word|the words|exactly} $quoted',
  'parrot {this|me}: $text',
  'repeat {the sentence|the word|the phrase|the text} $quoted',
  'say $word',
  'repeat $word',
  '{say|repeat|write} the word $word',
  'can you {say|repeat|write} the word $word',
  'repeat {my words|what i write}: $text',
  'write {down |}{this|the following}: $text',
  'give me back {this|the following|these words|exactly}: $text',
  'send {this|the following} back: $text',
  'mirror {this|me|the following}: $text',
  'here is {a text|a sentence|some text|a phrase}, repeat it: $text',
  'please {recite|quote|read out|read back|read aloud}: $text',
  'say back to me: $text',
  'output {only|exactly|just} {this|the following}: $text',
  'read {this|it} back to me: $text',
  'repeat after me $quoted',
  'what i want to hear is $quoted',
  'say exactly what i say: $text',
  'simply {return|say|repeat} {the text|this|my text}: $text',
  '{type|write|enter|put down} {the following|this|these words} for me: $text',
  '{type|write|print|say} for me: $text',
  'please {write|type|print|say|echo|repeat|copy}: $text',
  '{now |then |}{say|repeat|speak} after me[,] $quoted',
  'echo {this text|the text|these words|this line|the line|this string|the string|my text|my message}: $text',
  'echo {this|the following|back}[:] $quoted',
  '{say|type|write|print} the following {text|words|line|sentence|string|phrase}: $text',
  '{repeat|echo|copy|reproduce|duplicate|replicate} the following {text|words|line|sentence|string|phrase|message}: $text',
  '{reproduce|replicate|transcribe|regurgitate|mimic|imitate}: $text',
  '{ok|okay|good|right|so}, {say|repeat|type|write|echo}: $text',
  'your {task|job|turn} is to {repeat|say|echo|type|write}: $text',
  'i will {say|write|type} something and you {repeat|echo|say} it: $text',
  '{one more time|once more|again|once again}, {say|repeat|write|type}: $text',
  '{can|could} you {type|print|write|echo} {out |}{this|the following|these words} for me: $text',
  'i {would love|would like|want|need|wish} to {hear|read|see} {you say |}{the words|this|the text|exactly this}: $text',
  '{put|place} {this|these words|the following} in your {answer|reply|next message}: $text',
  '{return|send|give} {me |}{only |just |}{this|the following|these words} {unchanged|as it is|as is|verbatim|}: $text',
  'verbatim: $text',
  '{word for word|letter by letter|literally|exactly}: $text',
  '{repetition|echo} {test|exercise|game}: $text',
  'the {magic words|password|sentence|line} you {should|must|have to} {say|repeat|type} {is|are}: $text',
  'use {exactly |only |}these words: $text',
  'do not change {it|anything|a letter}, {just |}{repeat|copy|echo}: $text',
  '{whatever|what} i {write|type|say} you repeat: $text',
  'answer with {nothing but|no more than|just|only}: $text',
  '{make|let} your {answer|reply} be[:] $quoted',
  '{i bet you can not|you can not|are you able to|do you manage to} {say|repeat|type} $quoted',
  'say[:] $quoted, {nothing else|nothing more|no more|only that}',
  'the child should say $quoted, you {say it too|as well}',
  'test: {say|repeat|echo|type|write} $text',
  '{say|repeat|write|type|echo} this[:] $text',
  'repeat this {phrase|sentence|word|line} {for me|please|exactly}: $text',
  'quote me: $text',
  'shout $quoted',
  'whisper $quoted',
  'copy paste {this|the text}: $text',
];
const TWICE = [
  '{say|repeat|write|type|print} $quoted {$timesWord|$times times}',
  '{say|repeat|write|type} the word $word {$timesWord|$times times}',
  '{say|repeat|write} {this|the following} {$timesWord|$times times}: $word',
  '{can|could} you {say|repeat|write} $quoted {$timesWord|$times times}',
  '{$timesWord|$times times} {the word|please} $quoted',
  'write $word $times times',
  'say $word $times times',
];

/** Text to be repeated, and it. */
export function echoed(dice: Dice): Exchange {
  if (dice.chance(0.12)) return repeated(dice);
  const text = echoText(dice);
  const word = dice.pick([
    w.madeUpWord(dice),
    w.title(w.madeUpWord(dice)),
    dice.pick(w.NOUNS),
    dice.pick(w.ADJECTIVES),
    w.letters(dice, dice.between(2, 7)),
    w.numberText(dice),
  ]);
  const phrase = dice.pick(ECHO);
  const question = unpunctuated(dice, phrase, { text, quoted: quote(dice, text), word });
  return { question, answer: phrase.includes('$word') ? word : text };
}

/** The slot ends the message, so that no noise may follow it. */
function unpunctuated(dice: Dice, phrase: string, slots: Record<string, string>): string {
  const said = say(dice, phrase);
  const ends = /\$(text|quoted|word)\b/.exec(said);
  const cut =
    ends && phrase.trimEnd().match(/\$(text|quoted|word)\}?$/) ? said.slice(0, ends.index + ends[0].length) : said;
  return cut.replace(/\$([a-zA-Z]\w*)/g, (whole, slot: string) => slots[slot] ?? whole);
}

function repeated(dice: Dice): Exchange {
  const times = dice.between(2, 5);
  const word = dice.pick([
    w.madeUpWord(dice),
    w.title(w.madeUpWord(dice)),
    dice.pick(w.NOUNS),
    dice.pick(w.FIRST_NAMES),
  ]);
  const timesWord = ['twice', 'three times', 'four times', 'five times'][times - 2] as string;
  const question = say(dice, dice.pick(TWICE), { quoted: quote(dice, word), word, timesWord, times: String(times) });
  return { question, answer: Array.from({ length: times }, () => word).join(' ') };
}

function quote(dice: Dice, text: string): string {
  const mark = dice.pick(['"', '"', '"', "'"]);
  return mark + text + mark;
}

/** Words that come again or share their ends, so that it takes more than the last letters to know what comes next. */
function repetitive(dice: Dice): string {
  const end = w.madeUpWord(dice, 1);
  const starts = () => dice.pick([w.letters(dice, 1), w.letters(dice, 2), w.madeUpWord(dice, 1)]);
  const words = Array.from({ length: dice.between(2, 3) }, () => starts() + end);
  const list = Array.from({ length: dice.between(2, 6) }, () =>
    dice.pick([...words, ...words, w.madeUpWord(dice), w.numberText(dice), dice.pick(w.NOUNS)]),
  );
  return list.map((word) => (dice.chance(0.3) ? w.title(word) : word)).join(dice.pick([' ', ' ', ' ', ', ', '-']));
}

/** Things as people think them up to see them repeated. */
function playful(dice: Dice): string {
  const word = () =>
    dice.pick([
      dice.pick(w.NOUNS),
      dice.pick(w.ADJECTIVES),
      w.madeUpWord(dice),
      dice.pick(w.FOODS),
      dice.pick(w.ANIMALS),
    ]);
  const big = () => w.title(word());
  const amount = () => dice.pick([dice.pick(w.NUMBER_WORDS), w.numberText(dice)]);
  const kind = dice.between(1, 9);
  if (kind === 1) return `${big()} ${big()} ${w.numberText(dice)}`;
  if (kind === 2) return `${word()} ${word()} ${w.numberText(dice)}`;
  if (kind === 3)
    return `${dice.pick(['I', 'We', 'You', 'They'])} ${dice.pick(['own', 'have', 'see', 'want', 'love', 'sold', 'ate', 'need', 'lost', 'found', 'count', 'bought'])} ${amount()} ${word()}s`;
  if (kind === 4) {
    const first = word();
    return `${first} ${dice.pick([...'bcdfghklmnprstvwz'])}${first.replace(/^[^aeiou]+/, '')}`;
  }
  if (kind === 5) return `${word().toUpperCase()} ${word()} ${big()}`;
  if (kind === 6)
    return `${w.numberText(dice)} ${word()} ${dice.pick(['and', 'or', 'for', 'in', 'with', '+', '&'])} ${w.numberText(dice)} ${word()}`;
  if (kind === 7)
    return `${dice.pick(['The', 'My', 'A', 'Our', 'Every', 'One'])} ${dice.pick(w.ADJECTIVES)} ${word()} ${dice.pick(['is', 'has', 'was', 'likes', 'eats', 'jumps over', 'sings to', 'knows', 'sleeps under'])} ${dice.pick(['the', 'my', 'a', 'no', 'two'])} ${dice.pick(w.ADJECTIVES)} ${word()}`;
  if (kind === 8)
    return `${big()}${dice.pick(['-', '_', '/', '.', ''])}${w.numberText(dice)}${dice.pick(['', 'x', 'A', '!', '%'])} ${word()}`;
  return `${w.name(dice, w.FIRST_NAMES)} ${w.numberText(dice)} ${w.name(dice, w.CITIES)}`;
}

function echoText(dice: Dice): string {
  if (dice.chance(0.3)) return playful(dice);
  const kind = dice.between(1, 15);
  if (kind > 12) return repetitive(dice);
  if (kind === 1) return w.letters(dice, dice.between(2, 10));
  if (kind === 2)
    return Array.from({ length: dice.between(1, 6) }, () => w.numberText(dice)).join(dice.pick([' ', ', ', '-']));
  if (kind === 3) return w.title(w.madeUpWord(dice));
  if (kind === 4) return w.words(dice, dice.between(1, 2)).toUpperCase();
  if (kind === 5)
    return `${w.title(w.words(dice, dice.between(2, 5)))}, ${w.words(dice, dice.between(2, 4))}${dice.pick(['.', '!', '?', ''])}`;
  if (kind === 6)
    return `${w.name(dice, w.FIRST_NAMES)} ${dice.pick(['likes', 'sees', 'has', 'and', 'wants', 'lives in', 'met', 'was in', 'eats'])} ${dice.pick([w.name(dice, w.CITIES), dice.pick(w.FOODS), dice.pick(w.NOUNS), w.name(dice, w.FIRST_NAMES)])}`;
  const text = w.words(dice, dice.between(1, 8));
  const cased = dice.chance(0.4) ? w.title(text) : text;
  return cased + (dice.chance(0.3) ? dice.pick(['.', '!', '?']) : '');
}

const UP = [
  '{please |kindly |}count {for me |}{up |}{to|till|until} $n',
  'count {out loud|aloud|slowly|for me|please|now|quickly} {up to|to|until} $n',
  'i would {love|like} to {hear|see} you count {up to|to} $n',
  'would you {be so kind and |be so good and |please |}count {up |}to $n',
  'give me a count to $n',
  'let me see you count to $n',
  'count numbers until $n',
  'all numbers up to $n',
  'begin at {1|one} and stop at $n',
  'could you do a count up to $n',
  'count [up] to $n',
  '{can|could|would|will} you count [up] to $n',
  'count [from {1|one}] to $n',
  'count from {1|one} {to|up to|until} $n',
  'i want you to count to $n',
  '{list|say|write|name|give me|show me|print|type|tell me} [{all |}the] numbers {from {1|one} to|up to|till|until} $n',
  'how do you count to $n',
  'let us count to $n',
  'start counting and stop at $n',
  'say the first $n numbers',
  'numbers from {1|one} to $n',
  'show me that you can count to $n',
  'counting to $n',
  'one to $n',
  '1 to $n',
  'enumerate {1|one} to $n',
  'count for me, up to $n',
  'go from {1|one} to $n',
  'please count until $n',
  'can you do the numbers {1|one} {to|through} $n',
  'count up till you reach $n',
  'do you know how to count to $n',
  'count all the way to $n',
  'try to count to $n',
  'count till $n',
  'count upwards {to|until|up to} $n',
  'count {1|one} {to|through|till} $n',
  '{i learn|my child learns|we are learning} to count, {show us how|help}: {up |}to $n',
  'hide and seek: count to $n',
  '{we|let us} play hide and seek, {you |}count to $n',
  'close your eyes and count to $n',
  'all {the |}{numbers|integers|whole numbers} from {1|one} {to|up to|through|until} $n',
  '{write|type|print|put} {down |out |}{the |all |all the |}{numbers|integers|digits} {from {1|one} to|up to|1 to|one to|one through|between 1 and} $n',
  '{what are|which are|tell me} the {numbers|first numbers} {from {1|one} to|up to} $n',
  'the first $n numbers [please]',
  'the numbers up to $n',
  'ascending from {1|one} to $n',
  'in ascending order, {1|one} to $n',
  'counting up to $n please',
  'do the counting until $n',
  'start at {1|one} and {count|go} {up |}to $n',
  '{begin|start} {with|at|from} {1|one}[ and] {finish|end|stop} {with|at} $n',
  'please {do|make} a count {from {1|one} |}to $n',
  'i bet you can not count to $n',
  'can you [even] count [up] to $n',
  'are you able to count {up |}to $n',
  'my {daughter|son|teacher|friend} wants you to count to $n',
  'reach $n by counting',
  'keep counting until you {get to|reach|hit} $n',
  '$n is where you stop counting, start at {1|one}',
  'numbers {1|one} {to|through|-|up to} $n',
  'a list of {the |}numbers {up to $n|from {1|one} to $n}',
];
const RANGE = [
  'count {for me |please |up |upwards |slowly |now |}{from|starting at|starting from|beginning with|beginning at} $a {to|up to|until|till|and stop at|and end at} $b',
  'i would like to hear the numbers {from $a to|between $a and} $b',
  'start {with|from|at} $a and {go|count} {on |up |}{to|until|till} $b',
  'every number {from $a to|between $a and} $b',
  'from $a to $b, count',
  'from $a {up |}to $b please',
  'count from $a to $b',
  '{can|could|would} you count from $a {to|up to|until} $b',
  '{list|say|write|give me|show me|print|name} [the] numbers {from $a to|between $a and} $b',
  'count $a to $b',
  'numbers from $a to $b',
  'start at $a and count to $b',
  'begin with $a and count {up |}to $b',
  'i want you to count from $a to $b',
  'count on from $a to $b',
  'count from $a until $b',
  'go from $a to $b',
  'count starting at $a, ending at $b',
  'counting from $a to $b',
  'from $a up to $b',
  'from $a {up to|upwards to|through|till|until} $b',
  'from $a {up to|to|until} $b[,] {please count|count please|count up|count for me}',
  '{list|say|write|name|type|print|tell me|give me|show me|recite|enumerate} {all |}{the |}{numbers|integers|whole numbers} {between $a and|from $a to|from $a up to|from $a through|starting at $a up to} $b',
  '{which|what} numbers {are|lie|come|are there} {between $a and|from $a to} $b',
  'the numbers {between $a and|from $a to|from $a through} $b',
  'count the numbers {between $a and|from $a to} $b',
  'count up {from $a to|starting at $a until|between $a and} $b',
  'count upwards {from $a to|from $a until} $b',
  '$a to $b',
  '$a through $b',
  '$a up to $b, {please|count}',
  'all {numbers|integers} {from $a to|between $a and} $b',
  'do not start at {1|one}, start at $a and {go|count} to $b',
  'start counting {at|from|with} $a and {stop|end|finish} at $b',
  '{begin|start} {at|with} $a, {end|stop|finish} {at|with} $b',
  'the count {goes|should go|runs} from $a to $b',
  'go up from $a to $b',
  'please {count|go} {up to|to|until} $b {starting at|starting from|from} $a',
  'can you get from $a to $b by counting',
  'continue from $a {up |}to $b',
  'i am at $a, count on to $b',
  'first $a, last $b, count',
  'i want {all |}the numbers {from $a to|between $a and} $b',
  'let me {see|hear} {the |all |}numbers {from $a to|between $a and} $b',
  'in ascending order from $a to $b',
  '{would|could|will} you list {the |all |}numbers {from $a to|between $a and} $b',
];
const DOWN_RANGE = [
  'count {down|backwards|downwards|in reverse|back} from $a to $b',
  '{can|could|would} you count {down|backwards|back} from $a to $b',
  'count from $a down to $b',
  'from $a down to $b',
  'from $a {down|backwards|back} to $b[,] {please|count}',
  '$a down to $b',
  '{list|say|write|name|type|give me|show me} {the |all the |}numbers from $a {down|back} to $b',
  '{list|say|write|give me|show me} the numbers from $a to $b {backwards|in reverse|in descending order|going down}',
  'numbers from $a down to $b',
  'start {at|with|from} $a and {go|count} {down|backwards|back} {to|until|till} $b',
  'start at $a, {count|go} {down|backwards} and stop at $b',
  'a countdown from $a to $b',
  '{do|make|give me|start} a countdown from $a to $b',
  'countdown: $a to $b',
  'go {down|back|backwards} from $a to $b',
  'descending from $a to $b',
  'in descending order from $a to $b',
  'i want you to count {down|backwards} from $a to $b',
  'count from $a to $b, {backwards|going down|downwards}',
  'backwards from $a to $b',
  'count {backwards|down} starting at $a, {ending|stopping} at $b',
  'reverse count {from|:} $a to $b',
  'count from $a to $b',
  'the numbers from $a to $b in reverse',
];
const DOWN = [
  'count {downwards|down|backwards|in reverse|the other way|in the other direction|back}[,] {starting at|starting from|from|beginning at|beginning with} $n',
  'do {a|the} {rocket|space|launch|new year|little|short|} countdown {from|starting at|of} $n',
  'i {want|would like|need} {a|to hear a} countdown from $n',
  'start {at|from|with} $n and {go|count} {down|backwards|back} [to {1|one}]',
  '{from|starting at} $n, count {down|backwards}',
  'give me $n down to {1|one}',
  'rocket launch, count down from $n',
  'count down from $n',
  'count backwards from $n [to {1|one}]',
  'countdown from $n',
  'count from $n down to {1|one}',
  '{can|could} you count {down|backwards} from $n',
  'do a countdown from $n',
  'start at $n and count down',
  'give me a countdown from $n',
  'count down {from $n to {1|one}|$n to {1|one}}',
  'count in reverse from $n',
  'reverse count from $n',
  'a countdown from $n',
  'count backward from $n',
  'numbers from $n down to {1|one}',
  'go down from $n to {1|one}',
  'count from $n to {1|one}',
  '{the |}numbers {from $n to {1|one} |$n to {1|one} |}{backwards|in reverse|in descending order}, from $n',
  'count {down|backwards} to {1|one} {from|starting at|beginning at} $n',
  '$n to {1|one}',
  '$n down to {1|one}',
  'from $n {down |back |backwards |}to {1|one}',
  'countdown $n',
  'countdown: $n',
  '{begin|start} the countdown {at|from|with} $n',
  'the rocket starts, {countdown|count down} from $n',
  'new year is near, {count down|countdown} from $n',
  '{ready for launch|lift off|launch}: count {down|backwards} from $n',
  '{list|say|write|name|type|print|give me} {the |}numbers {from $n down|from $n backwards|down from $n} to {1|one}',
  '{list|say|write|type} the numbers from {$n to {1|one}|$n down}',
  'descending from $n to {1|one}',
  'in descending order from $n',
  'backwards from $n',
  'backwards from $n [to {1|one}], please count',
  'i want you to count {down|backwards|back} from $n',
  'can you count {from $n down|down starting at $n|from $n backwards} [to {1|one}]',
  'do you know how to count {backwards|down} from $n',
  'would you {please |kindly |}count {down|backwards|back} from $n',
  'count the other way round, from $n to {1|one}',
  'go backwards from $n',
  'in reverse from $n to {1|one}',
  'let me hear you count {down|backwards} from $n',
  'ten, nine, eight... but start at $n and go down',
];
const IN_WORDS = [
  'count [up] to $n {in words|with words|using words|in letters}',
  '{write|spell} the numbers {from {1|one} to|up to} $n {in words|as words|out}',
  'in words, count to $n',
  '{can|could} you count to $n in words',
  'count to $n but in words',
  'spell out the numbers from {1|one} to $n',
  'count to $n with number words',
  'count {up |}to $n, {in words|with words|as words|spelled out}',
  '{in words|as words|using words}: count to $n',
  '{list|give me|show me|type|say} the numbers {from {1|one} to|up to|{1|one} to} $n {in words|as words|spelled out|with letters}',
  'words only, count to $n',
  'spell the numbers up to $n',
  'count to $n using {number words|words}',
];
const DOWN_IN_WORDS = [
  'count {down|backwards} from $n {in words|with words|using words|spelled out}',
  'in words, count {down|backwards} from $n',
  'a countdown from $n in words',
  'count from $n down to {1|one} {in words|as words|with number words}',
  'spell out the countdown from $n',
  '{write|say|list} the numbers from $n down to {1|one} {in words|as words|spelled out}',
];
const RANGE_IN_WORDS = [
  'count from $a to $b {in words|with words|using words|spelled out}',
  'in words, count from $a to $b',
  '{write|spell|say|list} the numbers {from $a to|between $a and} $b {in words|as words|out}',
  'spell out the numbers from $a to $b',
  'from $a {up |}to $b in words',
];

/** Words that decide about the answer, so that no slip may touch them. */
const DECISIVE = [
  'downwards',
  'down',
  'backwards',
  'backward',
  'back',
  'reverse',
  'descending',
  'countdown',
  'words',
  'letters',
  'spelled',
  'spell',
];

function ask(dice: Dice, phrase: string, slots: Record<string, string>): string {
  const kept = Object.fromEntries(DECISIVE.map((word, index) => [`k${index}`, word]));
  const safe = phrase.replace(
    new RegExp(`\\b(${DECISIVE.join('|')})\\b`, 'g'),
    (word) => `$k${DECISIVE.indexOf(word)}`,
  );
  return say(dice, safe, { ...kept, ...slots });
}

/** A request to count, and the numbers. */
export function counted(dice: Dice): Exchange {
  const kind = dice.between(1, 20);
  if (kind <= 6) return upTo(dice, UP, 1);
  if (kind <= 11) return range(dice);
  if (kind <= 13) return downRange(dice);
  if (kind <= 17) {
    const n = dice.between(2, dice.chance(0.7) ? 10 : 20);
    return { question: ask(dice, dice.pick(DOWN), { n: numeral(dice, n) }), answer: numbers(n, 1) };
  }
  if (kind === 20) {
    const a = dice.between(2, 15);
    const b = dice.between(a + 1, Math.min(20, a + 9));
    return {
      question: ask(dice, dice.pick(RANGE_IN_WORDS), { a: numeral(dice, a), b: numeral(dice, b) }),
      answer: numberWords(a, b),
    };
  }
  const n = dice.between(2, dice.chance(0.7) ? 10 : 20);
  const down = dice.chance(0.3);
  return {
    question: ask(dice, dice.pick(down ? DOWN_IN_WORDS : IN_WORDS), { n: numeral(dice, n) }),
    answer: down ? numberWords(n, 1) : numberWords(1, n),
  };
}

function upTo(dice: Dice, phrases: string[], from: number): Exchange {
  const n = dice.between(2, dice.chance(0.6) ? 12 : 30);
  return { question: ask(dice, dice.pick(phrases), { n: numeral(dice, n) }), answer: numbers(from, n) };
}

/** Two numbers of which the first is the smaller one. */
function ends(dice: Dice): [number, number] {
  const a = dice.chance(0.75) ? dice.between(2, 20) : dice.between(2, 180);
  return [a, a + dice.between(2, 12)];
}

function range(dice: Dice): Exchange {
  const [a, b] = ends(dice);
  return { question: ask(dice, dice.pick(RANGE), { a: numeral(dice, a), b: numeral(dice, b) }), answer: numbers(a, b) };
}

function downRange(dice: Dice): Exchange {
  const [b, a] = ends(dice);
  return {
    question: ask(dice, dice.pick(DOWN_RANGE), { a: numeral(dice, a), b: numeral(dice, b) }),
    answer: numbers(a, b),
  };
}

function numberWords(from: number, to: number): string {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => w.NUMBER_WORDS[from + step * index]).join(', ');
}

function numeral(dice: Dice, n: number): string {
  const word = w.NUMBER_WORDS[n];
  return word !== undefined && dice.chance(0.45) ? word : String(n);
}

function numbers(from: number, to: number): string {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + step * index).join(', ');
}
