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
  return cut.replace(/\$([a-zA-Z]+)/g, (whole, slot: string) => slots[slot] ?? whole);
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

function echoText(dice: Dice): string {
  const kind = dice.between(1, 12);
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

const WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
  'twenty',
];
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
  'count from $n to 1',
];
const IN_WORDS = [
  'count [up] to $n {in words|with words|using words|in letters, not digits}',
  '{write|spell} the numbers {from {1|one} to|up to} $n {in words|as words|out}',
  'in words, count to $n',
  '{can|could} you count to $n in words',
  'count to $n but in words',
  'spell out the numbers from {1|one} to $n',
  'count to $n with number words',
];

/** A request to count, and the numbers. */
export function counted(dice: Dice): Exchange {
  const kind = dice.between(1, 10);
  if (kind <= 4) return upTo(dice, UP, 1);
  if (kind <= 6) return range(dice);
  if (kind <= 8) {
    const n = dice.between(2, dice.chance(0.7) ? 10 : 20);
    return { question: say(dice, dice.pick(DOWN), { n: numeral(dice, n) }), answer: numbers(n, 1) };
  }
  const n = dice.between(2, dice.chance(0.7) ? 10 : 20);
  const answer = Array.from({ length: n }, (_, index) => WORDS[index + 1]).join(', ');
  return { question: say(dice, dice.pick(IN_WORDS), { n: numeral(dice, n) }), answer };
}

function upTo(dice: Dice, phrases: string[], from: number): Exchange {
  const n = dice.between(2, dice.chance(0.6) ? 12 : 30);
  return { question: say(dice, dice.pick(phrases), { n: numeral(dice, n) }), answer: numbers(from, n) };
}

function range(dice: Dice): Exchange {
  const a = dice.chance(0.6) ? dice.between(2, 20) : dice.between(2, 180);
  const b = a + dice.between(2, 12);
  return { question: say(dice, dice.pick(RANGE), { a: numeral(dice, a), b: numeral(dice, b) }), answer: numbers(a, b) };
}

function numeral(dice: Dice, n: number): string {
  const word = WORDS[n];
  return word !== undefined && dice.chance(0.45) ? word : String(n);
}

function numbers(from: number, to: number): string {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + step * index).join(', ');
}
