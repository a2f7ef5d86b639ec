import {
  inside,
  isRecord,
  type JsonType,
  type SchemaObject,
  type SchemaPlace,
  typeOfValue,
} from '../../contract/json-schema.ts';
import { choice } from '../gbnf/choice.ts';
import {
  type Expression,
  empty,
  isNever,
  literal,
  never,
  oneCharacterOf,
  optional,
  sequence,
} from '../gbnf/expression.ts';
import { intersection, type Range } from '../gbnf/ranges.ts';
import { valueText } from '../text/json-text.ts';
import { readPattern } from '../text/pattern.ts';
import { type TextTree, textTree } from '../text/text-tree.ts';
import { arrayExpression } from './array.ts';
import type { SchemaCompiler } from './context.ts';
import { flatten } from './flat.ts';
import { countUpTo, MAX_LENGTH } from './limits.ts';
import { mergeSchemas } from './merge.ts';
import { memberPlace } from './names.ts';
import { type Member, memberList } from './object.ts';
import { namedTexts, toTerm } from './string.ts';
import { textSet } from './text-set.ts';
import { listedValues, unionOf, writtenTypes } from './types.ts';

/** The marks of the members of an object that is not written as JSON. */
export interface MemberMarks {
  /** The text before the name of a member. */
  key: string;
  /** The text between the name and a value that is text, and that between the name and any other value. */
  text: string;
  other(type: JsonType): string;
  /** The text after a value. It never occurs in a value that is text. */
  end(name: string): string;
  /** The text between two members. */
  separator: string;
  /** True if text is written as a JSON string, and not as it is. */
  isQuoted?: boolean;
  /**
   * The mark on both sides of a text, also within objects and arrays, whose names have no quotes. No value then has an
   * `end`.
   */
  quote?: string;
}

/** Matches the members of the objects of the root, from the first member's mark to the end of the last one. */
export function membersExpression(compiler: SchemaCompiler, marks: MemberMarks): Expression {
  const flat = flatten(compiler, compiler.root);
  return flat === false
    ? never
    : choice(branchesOf(compiler, flat, '#').map((branch) => ofObject(compiler, branch, marks, '#')));
}

/** Returns the alternatives of a flat schema, each as a flat schema. */
function branchesOf(compiler: SchemaCompiler, schema: SchemaObject, path: string): SchemaObject[] {
  const union = unionOf(schema);
  if (!union) return [schema];
  const { keyword, branches, rest } = union;
  if (keyword === 'oneOf') compiler.leave({ [keyword]: branches }, keyword, path);
  return branches.flatMap((_, index) => {
    const branch = flatten(compiler, inside({ schema: { [keyword]: branches }, path }, keyword, index));
    const merged = branch && mergeSchemas(rest, branch);
    return merged ? branchesOf(compiler, merged, path) : [];
  });
}

/** Keywords of objects that are left to the check of the finished value. */
const LEFT = [
  'minProperties',
  'maxProperties',
  'propertyNames',
  'patternProperties',
  'not',
  'if',
  'allOf',
  'enum',
  'const',
];
const DEPENDENT = ['dependentRequired', 'dependentSchemas', 'dependencies'];

function ofObject(compiler: SchemaCompiler, schema: SchemaObject, marks: MemberMarks, path: string): Expression {
  for (const keyword of [...LEFT, ...DEPENDENT])
    if (schema[keyword] !== undefined) compiler.leave(schema, keyword, path);
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
  const place: SchemaPlace = { schema, path };
  const members = [...new Set([...Object.keys(properties), ...required])].map((name): Member => {
    const own = Object.hasOwn(properties, name)
      ? inside(place, 'properties', name)
      : inside(place, 'additionalProperties');
    const member = memberPlace(compiler, schema, { ...own, schema: own.schema ?? true }, name);
    const value =
      marks.quote === undefined
        ? valueExpression(compiler, member, marks, name)
        : sequence(literal(marks.text), quotedValue(compiler, member, marks));
    return { expression: sequence(literal(marks.key + name), value), required: required.has(name) };
  });
  if (members.some((member) => member.required && isNever(member.expression))) return never;
  const written = members.filter(({ expression }) => !isNever(expression));
  if (written.length === 0) return empty;
  const list = memberList(compiler, written, never, path, literal(marks.separator));
  return written.some((member) => member.required) ? list : optional(list);
}

/** Matches a value of an object or an array whose texts stand between marks. */
function quotedValue(compiler: SchemaCompiler, place: SchemaPlace, marks: MemberMarks): Expression {
  return compiler.rules.define('quoted', `quoted ${JSON.stringify(place.schema)}`, place.path, () => {
    const flat = flatten(compiler, place);
    if (flat === false) return never;
    const branches = branchesOf(compiler, flat, place.path);
    return choice(branches.flatMap((branch) => quotedBranch(compiler, branch, place.path, marks)));
  });
}

/** Keywords of objects and arrays with which a value is written as JSON. */
const ONLY_JSON = ['contains', 'not', 'if', 'allOf', 'patternProperties', 'propertyNames', ...DEPENDENT];

function quotedBranch(compiler: SchemaCompiler, schema: SchemaObject, path: string, marks: MemberMarks): Expression[] {
  const { quote = '' } = marks;
  const mark = literal(quote);
  const values = listedValues(schema);
  if (values) {
    const texts = values.filter((value) => typeof value !== 'string' || !value.includes(quote));
    return texts.map((value) =>
      typeof value === 'string'
        ? sequence(mark, literal(value), mark)
        : compiler.compile({ schema: { const: value }, path }),
    );
  }
  const isPlain = ONLY_JSON.every((keyword) => schema[keyword] === undefined);
  const hasNames = isRecord(schema.properties) && Object.keys(schema.properties).length > 0;
  return writtenTypes(schema).map((type) => {
    const typed = { ...schema, type };
    if (type === 'string') return sequence(mark, plainText(compiler, schema, path, quote, false));
    if (type === 'object' && isPlain && hasNames)
      return sequence(literal('{'), ofObject(compiler, typed, marks, path), literal('}'));
    if (type !== 'array' || !isPlain) return compiler.compile({ schema: typed, path });
    return arrayExpression(typed, path, { ...compiler, compile: (item) => quotedValue(compiler, item, marks) });
  });
}

/** Matches a value with the marks before and after it. */
function valueExpression(compiler: SchemaCompiler, place: SchemaPlace, marks: MemberMarks, name: string): Expression {
  const flat = flatten(compiler, place);
  if (flat === false) return never;
  const branches = branchesOf(compiler, flat, place.path);
  const types = branches.map((branch) => writtenTypes(branch));
  const [mark, ...otherMarks] = new Set(types.flat().map((type) => marks.other(type)));
  const hasText = types.flat().includes('string');
  if (mark !== undefined && otherMarks.length === 0 && (!hasText || (marks.isQuoted && mark === marks.text))) {
    return sequence(literal(mark), compiler.compile(place), literal(marks.end(name)));
  }
  const isMixed = types.flat().some((type) => type !== 'string' && marks.other(type) === marks.text);
  const texts = branches.map((branch, index) =>
    textValue(compiler, branch, types[index] ?? [], place.path, marks, name, isMixed),
  );
  const others = Array.from(otherValues(branches, types, marks), ([mark, schemas]) => {
    // As one union, so that equal beginnings of its values are written once.
    const [only] = schemas;
    const schema = schemas.length === 1 && only ? only : { anyOf: schemas };
    return sequence(literal(mark), compiler.compile({ schema, path: place.path }), literal(marks.end(name)));
  });
  return compiler.rules.add('value', place.path, choice([...others, ...texts]));
}

/** Returns the schemas of the values that are no text, by the mark before them. */
function otherValues(
  branches: SchemaObject[],
  types: (readonly JsonType[])[],
  marks: MemberMarks,
): Map<string, SchemaObject[]> {
  const found = new Map<string, SchemaObject[]>();
  const add = (type: JsonType, schema: SchemaObject) => {
    const mark = marks.other(type);
    found.set(mark, [...(found.get(mark) ?? []), schema]);
  };
  for (const [index, branch] of branches.entries()) {
    const values = listedValues(branch);
    const others = (types[index] ?? []).filter((type) => type !== 'string');
    for (const value of values ?? []) if (typeof value !== 'string') add(typeOfValue(value), { const: value });
    for (const type of values ? [] : others) add(type, { ...branch, type });
  }
  return found;
}

/** Matches the values of a flat schema that are text. `isMixed` is that of `plainText`. */
function textValue(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  types: readonly JsonType[],
  path: string,
  marks: MemberMarks,
  name: string,
  isMixed: boolean,
): Expression {
  const [open, end] = [literal(marks.text), marks.end(name)];
  const values = listedValues(schema)?.filter((value) => typeof value === 'string');
  if (values) {
    const spelled = values.filter((value) => marks.isQuoted || end.trim() === '' || !value.includes(end.trim()));
    return choice(
      spelled.map((value) => sequence(open, marks.isQuoted ? valueText(value) : literal(value), literal(end))),
    );
  }
  if (!types.includes('string')) return never;
  if (!marks.isQuoted) return sequence(open, plainText(compiler, schema, path, end, isMixed));
  return sequence(open, compiler.compile({ schema: { ...schema, type: 'string' }, path }), literal(end));
}

/** Characters of plain text: the control characters but tab and line feed are left out. */
const PLAIN: readonly Range[] = [
  [0x09, 0x0a],
  [0x20, 0x7e],
  [0xa0, 0xd7ff],
  [0xe000, 0xfffc],
  [0x10000, 0x10ffff],
];

/** Texts that are read as a value of another type, or could become one. */
const LIKE_OTHERS = '^[\\s\\d{\\[("\'+.-]|^(?:[Tt]rue|[Ff]alse|[Nn]one|null)';

/**
 * Matches the strings of a flat schema as they are, without any `end` in them, and `end` after them. If `isMixed` is
 * true, the value may also have another type: the texts that look like one are left out.
 */
function plainText(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  path: string,
  end: string,
  isMixed: boolean,
): Expression {
  const min = countUpTo(MAX_LENGTH, schema, 'minLength', path, compiler.refuse) ?? 0;
  const { maxLength = Number.POSITIVE_INFINITY } = schema;
  const max = Number(maxLength) <= MAX_LENGTH ? Number(maxLength) : Number.POSITIVE_INFINITY;
  if (max !== Number(maxLength)) compiler.leave(schema, 'maxLength', path);
  if (schema.not !== undefined) compiler.leave(schema, 'not', path);
  const trees = namedTexts(compiler, schema, path);
  const read = (pattern: string) => readPattern(pattern, (reason) => compiler.refuse(path, null, reason));
  const without = [read(end.trim().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')), ...(isMixed ? [read(LIKE_OTHERS)] : [])];
  const make = (some: TextTree[], least: number, most: number) =>
    textSet(
      compiler,
      `plain ${JSON.stringify([some, least, most, end, isMixed])}`,
      path,
      empty,
      // The mark is a part of the automaton: a text may have a part of it.
      (terms) => terms.sequence(toTerm(terms, some, least, most, without), terms.ofTree(textTree(end))),
      (ranges) => oneCharacterOf(...intersection(ranges, PLAIN)),
    );
  const whole = make(trees, min, max);
  if (whole) return whole;
  for (const keyword of ['minLength', 'maxLength', 'pattern', 'format']) {
    if (schema[keyword] !== undefined) compiler.leave(schema, keyword, path);
  }
  return make([], 0, Number.POSITIVE_INFINITY) ?? never;
}
