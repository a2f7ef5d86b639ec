import { isObject } from '../../utils/json.ts';
import { valueToJson } from './xml-arguments.ts';

/** An element of a call's arguments. */
interface Element {
  name: string;
  text: string;
  children: Element[];
}

/**
 * Turns elements into the JSON text of an object. `before` stands before each tag. An element with elements in it is an
 * object, or an array if all of them are named `item`. Undefined if the tags do not match.
 */
export function elementsToJson(text: string, before: string, schema: unknown): string | undefined {
  const root: Element = { name: '', text: '', children: [] };
  const open = [root];
  for (const piece of text.split(before).slice(1)) {
    const [, slash, name = '', rest = ''] = /^<(\/?)([^>]*)>([\s\S]*)$/.exec(piece) ?? [];
    const parent = open.at(-1);
    if (!parent || name === '') return undefined;
    if (slash === '/') {
      if (parent.name !== name) return undefined;
      open.pop();
    } else {
      const element = { name, text: rest, children: [] };
      parent.children.push(element);
      open.push(element);
    }
  }
  return open.length === 1 ? objectOf(root, schema) : undefined;
}

function objectOf({ children }: Element, schema: unknown): string {
  const members = children.map(
    (child) => `${JSON.stringify(child.name)}: ${toJson(child, memberSchema(schema, child.name))}`,
  );
  return `{${members.join(', ')}}`;
}

function toJson(element: Element, schema: unknown): string {
  const { children, text } = element;
  if (children.length === 0) return valueToJson(text, schema);
  if (!children.every(({ name }) => name === 'item')) return objectOf(element, schema);
  return `[${children.map((child) => toJson(child, itemSchema(schema))).join(', ')}]`;
}

/** Returns the schema of a member, or of the first alternative that has it. */
function memberSchema(schema: unknown, name: string): unknown {
  const all = alternatives(schema).map(({ properties }) => properties);
  return all.filter(isObject).find((properties) => Object.hasOwn(properties, name))?.[name];
}

function itemSchema(schema: unknown): unknown {
  return alternatives(schema).find(({ items }) => items !== undefined)?.items;
}

function alternatives(schema: unknown, depth = 0): Record<string, unknown>[] {
  if (!isObject(schema) || depth > 8) return [];
  const inner = [schema.anyOf, schema.oneOf, schema.allOf].flat();
  return [schema, ...inner.flatMap((one) => alternatives(one, depth + 1))];
}
