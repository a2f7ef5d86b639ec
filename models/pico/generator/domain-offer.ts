import type { Tool } from '../../../src/contract/tool.ts';
import type { Dice } from './dice.ts';
import { type DomainTool, domainTools } from './domain-tools.ts';
import { MADE_UP_KINDS, makeParameter, makeTool, type Offer, type Parameter, sampleValue, toolName } from './offer.ts';
import { type Slots, say } from './phrases.ts';
import { kinds } from './tool-kinds.ts';
import * as w from './words.ts';

/** Maps each phrase to the domain tools that it asks for. A short phrase such as `find $a` asks for several. */
const askedBy = new Map<string, Set<string>>();
for (const { names, asks } of domainTools)
  for (const phrase of asks)
    for (const text of shortForms(phrase)) askedBy.set(text, (askedBy.get(text) ?? new Set()).add(names[0] as string));

/** Returns all texts that a phrase stands for, without values in the slots; none if there are more than 300. */
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

/** Returns a phrase that asks for this tool and for none of the others. */
function phraseFor(dice: Dice, domain: DomainTool, others: Offer[]): string {
  const ids = others.flatMap((other) => (other.domain === undefined ? [] : [other.domain]));
  for (let tries = 0; tries < 20; tries++) {
    const phrase = dice.pick(domain.asks);
    if (!shortForms(phrase).some((text) => ids.some((id) => id !== domain.names[0] && askedBy.get(text)?.has(id))))
      return phrase;
  }
  return dice.pick(domain.asks);
}

/** Returns an offer of a domain tool, with one of its names and parameters of the right kinds. */
export function domainOffer(dice: Dice, domain: DomainTool): Offer {
  const used = new Set<string>();
  const slotNames = Object.keys(domain.parameters);
  const odd = slotNames.length > 0 && dice.chance(0.2) ? dice.pick(slotNames) : undefined;
  const allOdd = odd !== undefined && dice.chance(0.2);
  const parameters = new Map(
    Object.entries(domain.parameters).map(([slot, { kind, names }]) => {
      const isOdd = slot === odd || allOdd;
      const free = (isOdd ? [oddName(dice), oddName(dice)] : names).filter((name) => !used.has(name));
      const name = free.length > 0 ? dice.pick(free) : w.madeUpWord(dice);
      // If there are several parameters, one with a strange name needs a description.
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

/** Returns an unusual name for a parameter. */
function oddName(dice: Dice): string {
  const kind = dice.between(1, 10);
  if (kind <= 4) return w.madeUpWord(dice);
  if (kind <= 8) return dice.pick(kinds[dice.pick(MADE_UP_KINDS)]?.names ?? []);
  if (kind === 9) return `${w.madeUpWord(dice, 1)}_${dice.pick(w.NOUNS)}`;
  return dice.pick(w.NOUNS);
}

/** Returns a request that contains the tool's name or its description. */
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
