import type { JsonSchema } from '../../../src/core/grammar/json-schema.ts';
import type { ChatMessage } from '../../../src/core/runner.ts';
import type { Tool } from '../../../src/core/tool.ts';
import type { Dice } from './dice.ts';
import { areas, type DomainTool, domainTools, rivals } from './domain-tools.ts';
import { expand, type Slots, say } from './phrases.ts';
import { kinds } from './tool-kinds.ts';
import { result } from './tool-results.ts';
import * as w from './words.ts';

/** A tool and something that asks for it. */
interface Offer {
  tool: Tool;
  /** The first name of the tool that many programs offer. */
  domain?: string;
  ask: (dice: Dice, others: Offer[]) => { question: string; arguments: Record<string, unknown> };
}

interface Parameter {
  name: string;
  kind: string;
  schema: Record<string, unknown>;
}

/** Words for the same thing: the first one names the tool, any asks for it. */
const VERBS: string[][] = [
  ['get', 'show me', 'give me', 'fetch', 'tell me', 'look up', 'what is', 'i need'],
  ['find', 'look for', 'search', 'search for', 'locate', 'where is'],
  ['create', 'make', 'add', 'set up', 'i want a new'],
  ['delete', 'remove', 'erase', 'drop', 'get rid of'],
  ['update', 'change', 'modify', 'edit'],
  ['set', 'change', 'adjust', 'put'],
  ['send', 'deliver', 'submit', 'pass on'],
  ['start', 'begin', 'launch', 'run'],
  ['stop', 'end', 'halt', 'turn off'],
  ['open', 'show', 'bring up'],
  ['close', 'shut'],
  ['book', 'reserve', 'i would like to book'],
  ['cancel', 'call off', 'undo'],
  ['check', 'look at', 'verify', 'test', 'inspect'],
  ['list', 'show all', 'which are the', 'give me all'],
  ['count', 'how many are there of', 'number of'],
  ['order', 'buy', 'purchase', 'get me'],
  ['print', 'put on paper'],
  ['move', 'shift', 'carry'],
  ['copy', 'duplicate', 'clone'],
  ['rename', 'give a new name to'],
  ['measure', 'determine'],
  ['repair', 'fix', 'mend'],
  ['paint', 'colour'],
  ['clean', 'wash', 'tidy'],
  ['lock', 'bolt'],
  ['rent', 'hire', 'borrow'],
  ['sell', 'offer'],
  ['feed', 'give food to'],
  ['schedule', 'plan', 'arrange'],
  ['share', 'publish', 'post'],
  ['save', 'store', 'keep'],
  ['load', 'read', 'import'],
  ['analyze', 'examine', 'study'],
  ['assign', 'give'],
  ['approve', 'accept', 'allow'],
  ['reject', 'refuse', 'deny'],
  ['scan', 'read in'],
  ['water', 'pour water on'],
  ['log', 'record', 'note'],
];

const MADE_UP_KINDS = Object.keys(kinds).filter((key) => !['expression', 'currency', 'language'].includes(key));

/** A conversation with tools: calls, what came of them, and things that need no tool. */
export function toolTalk(dice: Dice, filler: () => ChatMessage[]): { tools: Tool[]; messages: ChatMessage[] } {
  const offers = someOffers(dice, dice.pick([1, 1, 2, 2, 2, 3, 3, 4]));
  const messages: ChatMessage[] = dice.chance(0.15) ? filler() : [];
  const rounds = dice.pick([1, 1, 1, 2]);
  for (let round = 0; round < rounds; round++) {
    const last = round === rounds - 1;
    messages.push(...callTurn(dice, dice.pick(offers), offers, last && dice.chance(0.25)));
    if (dice.chance(0.12)) messages.push(...filler());
  }
  return { tools: offers.map(({ tool }) => tool), messages };
}

/** Tools that are given though no one needs them. */
export function someTools(dice: Dice): Tool[] {
  return someOffers(dice, dice.pick([1, 1, 2, 3])).map(({ tool }) => tool);
}

function someOffers(dice: Dice, count: number): Offer[] {
  if (count > 1 && dice.chance(0.4)) return relatedOffers(dice, count);
  const offers = new Map<string, Offer>();
  while (offers.size < count) {
    const offer = anyOffer(dice);
    if (!isRival(offer, offers.values())) offers.set(offer.tool.name, offer);
  }
  return dice.sample([...offers.values()], count);
}

function anyOffer(dice: Dice): Offer {
  if (dice.chance(0.7)) return domainOffer(dice, dice.pick(domainTools));
  return dice.chance(0.35) ? strangeOffer(dice) : madeUpOffer(dice);
}

/** Tools of one area, which only what is asked tells apart. */
function relatedOffers(dice: Dice, count: number): Offer[] {
  return dice.chance(0.65) ? areaOffers(dice, count) : siblingOffers(dice, count);
}

function areaOffers(dice: Dice, count: number): Offer[] {
  const offers = new Map<string, Offer>();
  for (const id of dice.sample(dice.pick(areas), count)) {
    const domain = domainTools.find(({ names }) => names[0] === id);
    if (!domain) throw new Error(`no tool ${id}`);
    const offer = domainOffer(dice, domain);
    if (!isRival(offer, offers.values())) offers.set(offer.tool.name, offer);
  }
  return [...offers.values()];
}

/** Tools that do different things with the same, or the same with different things. */
function siblingOffers(dice: Dice, count: number): Offer[] {
  const offers = new Map<string, Offer>();
  const sameNoun = dice.chance(0.6);
  const noun = madeUpNoun(dice);
  const verb = madeUpVerb(dice);
  const seen = new Set<string>();
  while (offers.size < count) {
    const own = sameNoun ? madeUpVerb(dice) : verb;
    const said = sameNoun ? noun : madeUpNoun(dice);
    // No two tools share a way of asking for them.
    const words = sameNoun ? own : [said];
    if (words.some((word) => seen.has(word))) continue;
    for (const word of words) seen.add(word);
    const offer = dice.chance(0.4) ? strangeOffer(dice, own, said) : madeUpOffer(dice, own, said);
    offers.set(offer.tool.name, offer);
  }
  return [...offers.values()];
}

function isRival({ domain }: Offer, others: Iterable<Offer>): boolean {
  if (domain === undefined) return false;
  return [...others].some(
    (other) =>
      other.domain !== undefined &&
      (other.domain === domain || rivals.some((ids) => ids.includes(domain) && ids.includes(other.domain as string))),
  );
}

/** The tools that a phrase asks for: short ones such as `find $a` ask for several. */
const askedBy = new Map<string, Set<string>>();
for (const { names, asks } of domainTools)
  for (const phrase of asks)
    for (const text of shortForms(phrase)) askedBy.set(text, (askedBy.get(text) ?? new Set()).add(names[0] as string));

/** What a phrase without choices inside choices can be, if that is not much. */
function shortForms(phrase: string): string[] {
  let forms = [phrase];
  for (let rounds = 0; rounds < 6 && forms.some((form) => /[{[]/.test(form)); rounds++) {
    forms = forms.flatMap((form) => {
      const choice = /\{([^{}[\]]*)\}|\[([^{}[\]]*)\]/.exec(form);
      if (!choice) return [form];
      const options = choice[1] !== undefined ? choice[1].split('|') : ['', ...(choice[2] as string).split('|')];
      return options.map((option) => form.replace(choice[0], () => option));
    });
    if (forms.length > 300) return [];
  }
  return [...new Set(forms.map((form) => form.replaceAll(/\$\w+/g, '$').replaceAll(/ +/g, ' ').trim()))];
}

/** A phrase that asks for no other tool there. */
function phraseFor(dice: Dice, domain: DomainTool, others: Offer[]): string {
  const ids = others.flatMap((other) => (other.domain === undefined ? [] : [other.domain]));
  for (let tries = 0; tries < 20; tries++) {
    const phrase = dice.pick(domain.asks);
    if (!shortForms(phrase).some((text) => ids.some((id) => id !== domain.names[0] && askedBy.get(text)?.has(id))))
      return phrase;
  }
  return dice.pick(domain.asks);
}

function callTurn(dice: Dice, { tool, ask }: Offer, others: Offer[], unanswered: boolean): ChatMessage[] {
  const asked = ask(dice, others);
  const question: ChatMessage = { role: 'user', content: asked.question };
  const call = {
    id: 'call',
    type: 'function' as const,
    function: { name: tool.name, arguments: JSON.stringify(asked.arguments) },
  };
  const called: ChatMessage = { role: 'assistant', content: null, tool_calls: [call] };
  if (unanswered) return [question, called];
  const { content, answer } = result(dice, Object.values(asked.arguments));
  return [question, called, { role: 'tool', content, tool_call_id: 'call' }, { role: 'assistant', content: answer }];
}

function domainOffer(dice: Dice, domain: DomainTool): Offer {
  const used = new Set<string>();
  const slotNames = Object.keys(domain.parameters);
  const odd = slotNames.length > 0 && dice.chance(0.2) ? dice.pick(slotNames) : undefined;
  const allOdd = odd !== undefined && dice.chance(0.2);
  const parameters = new Map(
    Object.entries(domain.parameters).map(([slot, { kind, names }]) => {
      const isOdd = slot === odd || allOdd;
      const free = (isOdd ? [oddName(dice), oddName(dice)] : names).filter((name) => !used.has(name));
      const name = free.length > 0 ? dice.pick(free) : w.madeUpWord(dice);
      // Of several parameters, one with a strange name must say what it is for.
      const parameter = makeParameter(dice, kind, name, isOdd && slotNames.length > 1 ? 0.9 : 0.6);
      used.add(parameter.name);
      return [slot, parameter] as const;
    }),
  );
  const tool = makeTool(dice, toolName(dice, dice.pick(domain.names)), dice.pick(domain.about), [
    ...parameters.values(),
  ]);
  return {
    tool,
    domain: domain.names[0] as string,
    ask: (dice, others) => {
      const phrase = dice.chance(0.1) ? byName(dice, tool, parameters) : phraseFor(dice, domain, others);
      const slots: Slots = {};
      const values: Record<string, unknown> = {};
      for (const [slot, { name, kind, schema }] of parameters) {
        if (!new RegExp(`\\$${slot}\\b`).test(phrase)) continue;
        const { said, json } = sampleValue(dice, kind, schema);
        slots[slot] = said;
        values[name] = json;
      }
      return { question: say(dice, phrase, slots), arguments: values };
    },
  };
}

/** A parameter's name that habit does not expect. */
function oddName(dice: Dice): string {
  const kind = dice.between(1, 10);
  if (kind <= 4) return w.madeUpWord(dice);
  if (kind <= 8) return dice.pick(kinds[dice.pick(MADE_UP_KINDS)]?.names ?? []);
  if (kind === 9) return `${w.madeUpWord(dice, 1)}_${dice.pick(w.NOUNS)}`;
  return dice.pick(w.NOUNS);
}

/** A request that names the tool itself, or says what it is for. */
function byName(dice: Dice, { name, description = '' }: Tool, parameters: Map<string, Parameter>): string {
  const words = name.replaceAll(/[_-]/g, ' ');
  const about = description === '' ? words : description.toLowerCase().replace(/\.$/, '');
  const given = [...parameters].map(([slot, { name }]) =>
    dice.pick([`${name.replaceAll('_', ' ')} $${slot}`, `$${slot}`, `${name.replaceAll('_', ' ')}: $${slot}`]),
  );
  const call = dice.pick([
    `{call|use|run|invoke|try} {the tool |}${name} {with|for|on}`,
    `${about}:`,
    `${about} {for|with}`,
    `${words} {for|with|}`,
    `use the ${words} tool {for|with|on}`,
  ]);
  return `${call} ${given.join(dice.pick([', ', ' and ', ' ']))}`;
}

function madeUpVerb(dice: Dice): string[] {
  if (dice.chance(0.65)) return dice.pick(VERBS);
  return [w.madeUpWord(dice) + dice.pick(['', '', 'ate', 'ize', 'ify', 'le', 'er'])];
}

function madeUpNoun(dice: Dice): string {
  const noun = dice.chance(0.65) ? dice.pick(w.NOUNS) : w.madeUpWord(dice);
  return dice.chance(0.15) ? `${noun} ${dice.pick(w.NOUNS)}` : noun;
}

/** A tool of a word that nobody knows, for a thing with a name: `verb the noun NAME with PARAMETER 7`. */
function strangeOffer(
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

function madeUpOffer(dice: Dice, verb = madeUpVerb(dice), said = madeUpNoun(dice)): Offer {
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
    // Several values need their names, or nobody could tell them apart.
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

function makeParameter(dice: Dice, kind: string, name: string, described = 0.6): Parameter {
  const { schema, descriptions } = kinds[kind] as (typeof kinds)[string];
  const description = dice.chance(described) ? dice.pick(descriptions).replace('$other', dice.pick(w.CITIES)) : '';
  const own = schema(dice);
  return {
    name,
    kind,
    schema: description && dice.chance(0.5) ? { ...own, description } : description ? { description, ...own } : own,
  };
}

function sampleValue(dice: Dice, kind: string, schema: Record<string, unknown>): { said: string; json: unknown } {
  return (kinds[kind] as (typeof kinds)[string]).value(dice, schema);
}

function makeTool(dice: Dice, name: string, about: string, parameters: Parameter[]): Tool {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  return {
    name,
    description: dice.chance(0.93) ? about + (dice.chance(0.3) ? '.' : '') : '',
    parameters: { type: 'object', properties } as JsonSchema,
  };
}

function toolName(dice: Dice, name: string): string {
  const words = name.split('_');
  const kind = dice.between(1, 12);
  if (kind === 1) return words.map((word, index) => (index === 0 ? word : w.title(word))).join('');
  if (kind === 2) return words.map(w.title).join('');
  if (kind === 3) return words.join('-');
  if (kind === 4)
    return `${name}_${dice.pick(['tool', 'v2', 'api', 'now', 'info', 'data', 'fn', 'by_name', 'for_user'])}`;
  if (kind === 5) return `${dice.pick(['my', 'do', 'app', 'home', 'user', 'x', w.madeUpWord(dice, 1)])}_${name}`;
  return name;
}
