import {
  includesType,
  isRecord,
  type JsonType,
  own,
  type SchemaObject,
  typeOfValue,
} from '../../contract/json-schema.ts';
import type { SchemaContext } from './context.ts';
import { flatten } from './flat.ts';
import { mergeSchemas } from './merge.ts';
import { allowedTypes, listedValues, unionOf, writtenTypes } from './types.ts';

/** Deepest nesting that is compared. */
const MAX_DEPTH = 8;
/** Most pairs of schemas that are compared for one request schema. Nested unions multiply them. */
const MAX_COMPARISONS = 100_000;

/**
 * True if no value that the grammar writes for `written` is valid by `other`, as far as types, listed values and
 * required properties tell. False means "perhaps". Both schemas are flat; errors name `path`. Throws a 400 `ApiError`
 * after `MAX_COMPARISONS` comparisons in one schema.
 */
export function excludes(
  context: SchemaContext,
  written: SchemaObject | false,
  other: SchemaObject | false,
  path: string,
): boolean {
  function excluded(some: SchemaObject | false, rest: SchemaObject | false, depth: number): boolean {
    if (some === false || rest === false) return true;
    if (depth > MAX_DEPTH) return false;
    if (++context.comparisons > MAX_COMPARISONS) {
      throw context.refuse(path, null, 'has too many branches to tell apart');
    }
    const branches = branchesOf(some);
    if (branches) return branches.every((branch) => excluded(branch, rest, depth + 1));
    const otherBranches = branchesOf(rest);
    if (otherBranches) return otherBranches.every((branch) => excluded(some, branch, depth + 1));

    const values = listedValues(some);
    if (values) return values.every((value) => !mayAccept(rest, value, depth));
    const common = writtenTypes(some).filter((type) => overlaps(allowedTypes(rest), type));
    if (common.length === 0) return true;
    return common.every((type) => type === 'object') && objectsExclude(some, rest, depth);
  }

  /** Merges each branch of `anyOf` or `oneOf` with the rest of the schema; undefined without branches. */
  function branchesOf(schema: SchemaObject): (SchemaObject | false)[] | undefined {
    const union = unionOf(schema);
    return union?.branches.map((branch) => {
      const flat = flatten(context, { schema: branch, path });
      return flat && mergeSchemas(union.rest, flat);
    });
  }

  function objectsExclude(some: SchemaObject, rest: SchemaObject, depth: number): boolean {
    if (names(rest.required).some((name) => propertySchema(some, name, false) === false)) return true;
    return names(some.required).some((name) => excluded(flatProperty(some, name), flatProperty(rest, name), depth + 1));
  }

  function flatProperty(schema: SchemaObject, name: string): SchemaObject | false {
    return flatten(context, { schema: propertySchema(schema, name, true), path });
  }

  /** False if the value is clearly not valid. */
  function mayAccept(schema: SchemaObject | false, value: unknown, depth: number): boolean {
    if (schema === false) return false;
    if (depth > MAX_DEPTH) return true;
    const type = typeOfValue(value);
    const listed = listedValues(schema);
    if (listed) return listed.some((item) => typeOfValue(item) === type && (isRecordOrArray(item) || item === value));
    if (!includesType(allowedTypes(schema), type)) return false;
    if (!isRecord(value)) return true;
    if (names(schema.required).some((name) => !Object.hasOwn(value, name))) return false;
    return Object.entries(value).every(([name, member]) => mayAccept(flatProperty(schema, name), member, depth + 1));
  }

  return excluded(written, other, 0);
}

/** True if a value of the type may also have one of the types. */
function overlaps(types: readonly JsonType[], type: JsonType): boolean {
  return includesType(types, type) || (type === 'number' && types.includes('integer'));
}

/** The schema of a property: its own, else that of additional properties, else `true` or `absent`. */
function propertySchema(schema: SchemaObject, name: string, absent: boolean): unknown {
  const declared = isRecord(schema.properties) ? own(schema.properties, name) : undefined;
  if (declared !== undefined) return declared;
  if (schema.patternProperties !== undefined) return true;
  if (schema.additionalProperties !== undefined) return schema.additionalProperties;
  // A schema that says nothing of properties allows any. A required property is always written.
  const isFree = schema.properties === undefined && schema.required === undefined;
  return isFree || names(schema.required).includes(name) ? true : absent;
}

/** True for values that `===` can't compare. Two of the same type are taken for possibly equal. */
function isRecordOrArray(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function names(required: unknown): string[] {
  return Array.isArray(required) ? required.map(String) : [];
}
