import { readData } from './data.ts';
import type { Dice } from './dice.ts';
import { MADE_UP_KINDS, makeParameter, makeTool, type Offer, type Parameter, sampleValue, toolName } from './offer.ts';
import { expand, type Slots, say } from './phrases.ts';
import { kinds } from './tool-kinds.ts';
import * as w from './words.ts';

/** Groups of verbs with the same meaning. The first verb is the name of the tool; any of them asks for it. */
const VERBS = readData<string[][]>('tool-verbs');

/** Returns a verb and its synonyms. The first word is the name of the tool; any of them asks for it. */
export function madeUpVerb(dice: Dice): string[] {
  if (dice.chance(0.65)) return dice.pick(VERBS);
  return [w.madeUpWord(dice) + dice.pick(['', '', 'ate', 'ize', 'ify', 'le', 'er'])];
}

export function madeUpNoun(dice: Dice): string {
  const noun = dice.chance(0.65) ? dice.pick(w.NOUNS) : w.madeUpWord(dice);
  return dice.chance(0.15) ? `${noun} ${dice.pick(w.NOUNS)}` : noun;
}

/** Returns a tool with a made-up verb for a named thing. A request for it is `verb the noun NAME with PARAMETER 7`. */
export function strangeOffer(
  dice: Dice,
  verb = dice.chance(0.75)
    ? [w.madeUpWord(dice) + dice.pick(['', '', 'ate', 'ize', 'ify', 'le', 'ish'])]
    : madeUpVerb(dice),
  noun = madeUpNoun(dice),
): Offer {
  const word = (verb[0] as string).split(' ')[0] as string;
  const used = new Set<string>();
  const add = (kind: string, names: string[]): Parameter => {
    const free = names.filter((name) => !used.has(name));
    const name = dice.chance(0.25) || free.length === 0 ? w.madeUpWord(dice) : dice.pick(free);
    used.add(name);
    return makeParameter(dice, kind, name);
  };
  const target = add(dice.pick(['thing', 'thing', 'person', 'id', 'city']), [
    'name',
    'target',
    'id',
    'which',
    'object',
    'item',
    'subject',
    'what',
    noun.replaceAll(' ', '_'),
    `${noun.replaceAll(' ', '_')}_name`,
  ]);
  const more = Array.from({ length: dice.pick([0, 1, 1, 1, 2, 2]) }, () => {
    const kind = dice.pick(['count', 'count', 'count', 'choice', 'flag', 'thing', 'colour', 'date']);
    return add(kind, kinds[kind]?.names ?? []);
  });
  const tool = makeTool(
    dice,
    toolName(dice, dice.pick([`${word}_${noun}`, `${word}_${noun}`, `${noun}_${word}`, word]).replaceAll(' ', '_')),
    dice.pick([
      `${w.title(word)} a ${noun}`,
      `${w.title(word)}s the ${noun}`,
      `${w.title(word)} a ${noun} by name`,
      w.title(word),
    ]),
    [target, ...more],
  );
  return {
    tool,
    ask: (dice) => {
      const slots: Slots = {};
      const values: Record<string, unknown> = {};
      const mention = ({ name, kind, schema }: Parameter, slot: string) => {
        const { said, json } = sampleValue(dice, kind, schema);
        slots[slot] = said;
        values[name] = json;
        return name.replaceAll('_', ' ');
      };
      mention(target, 'a');
      const parts = more
        .filter(() => dice.chance(0.9))
        .map((parameter, index) => {
          const slot = 'bcd'[index] as string;
          const said = mention(parameter, slot);
          const link = index === 0 ? '{with|with|at|using|on|by|to|and|,|having|for}' : '{and|,|with|and with|at}';
          return dice.pick([
            `${link} ${said} $${slot}`,
            `${link} ${said} $${slot}`,
            `${link} ${said} $${slot}`,
            `${link} a ${said} of $${slot}`,
            `(${said}: $${slot})`,
            `, ${said} = $${slot}`,
          ]);
        });
      const thing = dice.pick([
        `the ${noun} $a`,
        `the ${noun} $a`,
        `${noun} $a`,
        `$a`,
        `the ${noun} {called|named} $a`,
        `my ${noun} $a`,
        `the $a ${noun}`,
      ]);
      const phrase = `{|||please |can you |could you |i want you to |i need to |now |let us |go and |help me to }${dice.pick(verb)} ${thing} ${parts.join(' ')}`;
      return { question: say(dice, phrase, slots), arguments: values };
    },
  };
}

/** Returns a tool of a verb and a noun with parameters of any kind. */
export function madeUpOffer(dice: Dice, verb = madeUpVerb(dice), said = madeUpNoun(dice)): Offer {
  const words = [(verb[0] as string).split(' ')[0] as string, ...said.split(' ')];
  const name = toolName(
    dice,
    dice.chance(0.8)
      ? words.join('_')
      : dice.chance(0.5)
        ? [...words.slice(1), words[0]].join('_')
        : words.slice(1).join('_'),
  );
  const about = expand(
    dice,
    dice.pick([
      `{${dice.pick(verb)}|${verb[0]}} {a|the} ${said}`,
      `${verb[0]} {a|the|one} ${said} {of the user|by name|in the system|}`,
      `${said}: ${verb[0]}`,
    ]),
  );
  const used = new Set<string>();
  const parameters: Parameter[] = [];
  for (let count = dice.pick([0, 1, 1, 1, 2, 2, 3]); count > 0; count--) {
    const kind = dice.pick(MADE_UP_KINDS);
    const parameterName = dice.chance(0.25) ? w.madeUpWord(dice) : dice.pick(kinds[kind]?.names ?? []);
    if (used.has(parameterName)) continue;
    used.add(parameterName);
    parameters.push(makeParameter(dice, kind, parameterName));
  }
  const tool = makeTool(dice, name, w.title(about), parameters);
  return { tool, ask: (dice) => madeUpRequest(dice, verb, said, parameters) };
}

function madeUpRequest(dice: Dice, verb: string[], noun: string, parameters: Parameter[]) {
  const slots: Slots = {};
  const values: Record<string, unknown> = {};
  const parts: string[] = [];
  const mentioned = parameters.filter(() => dice.chance(0.88));
  for (const [index, { name, kind, schema }] of mentioned.entries()) {
    const { said, json } = sampleValue(dice, kind, schema);
    const slot = 'abcd'[index] as string;
    slots[slot] = said;
    values[name] = json;
    // Several values need the names of their parameters, because their order does not tell them apart.
    const mention =
      mentioned.length > 1 && dice.chance(0.6)
        ? dice.pick(['with $p $v', '$p $v', '$p: $v', '$p = $v', 'and $p $v', 'the $p is $v'])
        : dice.pick(kinds[kind]?.mentions ?? []);
    parts.push(mention.replaceAll('$p', name.replaceAll('_', ' ')).replaceAll('$v', `$${slot}`));
  }
  const phrase = `${dice.pick(verb)} {the |a |my |this ||the |my }${noun} ${parts.join(dice.pick([' ', ' ', ', ', ' and ']))}`;
  const ordered = Object.fromEntries(parameters.flatMap(({ name }) => (name in values ? [[name, values[name]]] : [])));
  return { question: say(dice, phrase.replaceAll('[', '(').replaceAll(']', ')'), slots), arguments: ordered };
}
