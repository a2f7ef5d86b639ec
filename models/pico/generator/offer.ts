import type { JsonSchema } from '../../../src/contract/json-schema.ts';
import type { Tool } from '../../../src/contract/tool.ts';
import type { Dice } from './dice.ts';
import { kinds } from './tool-kinds.ts';
import * as w from './words.ts';

/** A tool, and a function that makes requests for it. */
export interface Offer {
  tool: Tool;
  /** The first name of the domain tool; absent for made-up tools. */
  domain?: string;
  ask: (dice: Dice, others: Offer[]) => { question: string; arguments: Record<string, unknown> };
}

export interface Parameter {
  name: string;
  kind: string;
  schema: Record<string, unknown>;
}

/** Kinds of parameters that fit any made-up tool. */
export const MADE_UP_KINDS = Object.keys(kinds).filter((key) => !['expression', 'currency', 'language'].includes(key));

/** Makes a parameter of a kind. `described` is the probability, 0 to 1, that it has a description. */
export function makeParameter(dice: Dice, kind: string, name: string, described = 0.6): Parameter {
  const { schema, descriptions } = kinds[kind] as (typeof kinds)[string];
  const description = dice.chance(described) ? dice.pick(descriptions).replace('$other', dice.pick(w.CITIES)) : '';
  const own = schema(dice);
  return {
    name,
    kind,
    schema: description && dice.chance(0.5) ? { ...own, description } : description ? { description, ...own } : own,
  };
}

/** Makes a value for a parameter of this kind: as text for a request, and as JSON. Throws if there is no such kind. */
export function sampleValue(
  dice: Dice,
  kind: string,
  schema: Record<string, unknown>,
): { said: string; json: unknown } {
  return (kinds[kind] as (typeof kinds)[string]).value(dice, schema);
}

/** Makes a tool. `about` is its description, which a few tools leave out. */
export function makeTool(dice: Dice, name: string, about: string, parameters: Parameter[]): Tool {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  return {
    name,
    description: dice.chance(0.93) ? about + (dice.chance(0.3) ? '.' : '') : '',
    parameters: { type: 'object', properties } as JsonSchema,
  };
}

/**
 * Returns a snake-case name as programs might write it: sometimes in camel case, with hyphens, a prefix or a suffix.
 */
export function toolName(dice: Dice, name: string): string {
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
