import { includesType, isRecord, type JsonType, own, type SchemaObject, typeOfValue } from './json-schema.ts';
import { flatten, type SchemaContext } from './schema-flat.ts';
import { mergeSchemas } from './schema-merge.ts';
import { allowedTypes, listedValues, unionOf, writtenTypes } from './schema-types.ts';

/** Deepest nesting that is looked into. */
const MAX_DEPTH = 8;
/** Most pairs of schemas that are compared for one schema: all branches with all, and their branches again. */
const MAX_COMPARISONS = 100_000;

/**
 * Whether it is clear that nothing the grammar writes for the one schema is valid by the other: by types, listed
 * values, or a property that both speak of. Both are flat; `path` is for messages.
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
    if (++context.comparisons > MAX_COMPARISONS)
      throw context.refuse(path, null, 'has too many branches to tell apart');
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

  /** The schema once for each branch of its `anyOf` or `oneOf`, merged with the rest of it. */
  function branchesOf(schema: SchemaObject): (SchemaObject | false)[] | undefined {
    const union = unionOf(schema);
    return union?.branches.map((branch) => {
      const flat = flatten(context, { schema: branch, path });
      return flat && mergeSchemas(union.rest, flat, path, context.refuse);
    });
  }

  function objectsExclude(some: SchemaObject, rest: SchemaObject, depth: number): boolean {
    if (names(rest.required).some((name) => propertySchema(some, name, false) === false)) return true;
    return names(some.required).some((name) => excluded(flatProperty(some, name), flatProperty(rest, name), depth + 1));
  }

  function flatProperty(schema: SchemaObject, name: string): SchemaObject | false {
    return flatten(context, { schema: propertySchema(schema, name, true), path });
  }

  /** Whether a value may be valid: `false` only if it is clearly not. */
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

/** Whether some value of the type also has one of the types. */
function overlaps(types: readonly JsonType[], type: JsonType): boolean {
  return includesType(types, type) || (type === 'number' && types.includes('integer'));
}

/** The schema of a property: its own, that of all others, or `absent` where neither is given. */
function propertySchema(schema: SchemaObject, name: string, absent: boolean): unknown {
  const declared = isRecord(schema.properties) ? own(schema.properties, name) : undefined;
  if (declared !== undefined) return declared;
  if (schema.additionalProperties !== undefined) return schema.additionalProperties;
  // Without any word on properties, an object may hold any; a required one is always written.
  const isFree = schema.properties === undefined && schema.required === undefined;
  return isFree || names(schema.required).includes(name) ? true : absent;
}

/** Whether equality is a matter of parts, the order of members left aside. */
function isRecordOrArray(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function names(required: unknown): string[] {
  return Array.isArray(required) ? required.map(String) : [];
}
