import * as v from 'valibot';
import { invalidRequest } from '../../contract/errors.ts';
import { isObject } from '../../utils/json.ts';

/** The parts of the request schemas. Their messages complete the sentence "<field> ...". */
export const textField = v.string('must be a string');
export const nonEmptyText = v.pipe(textField, v.nonEmpty('must not be empty'));
export const booleanField = v.boolean('must be a boolean');

/** A finite number within a range, both ends included. */
export function between(min: number, max: number) {
  const message = `must be a number between ${min} and ${max}`;
  return v.pipe(v.number(message), v.minValue(min, message), v.maxValue(max, message));
}

/** A safe integer within a range, both ends included. */
export function integerField(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const message =
    max !== Number.MAX_SAFE_INTEGER
      ? `must be an integer between ${min} and ${max}`
      : min !== Number.MIN_SAFE_INTEGER
        ? `must be an integer of at least ${min}`
        : 'must be an integer';
  return v.pipe(v.number(message), v.safeInteger(message), v.minValue(min, message), v.maxValue(max, message));
}

/** One of these texts. The message of its error lists them all. */
export function oneOf<const T extends readonly string[]>(values: T) {
  return v.picklist(values, `must be one of ${values.join(', ')}`);
}

/** An object that is not an array. Valibot's own object schemas accept arrays, with the indexes as keys. */
export function plainObject(message: string) {
  return v.custom<Record<string, unknown>>(isObject, message);
}

/** An object with at least these entries. Others pass through. */
export function objectField<E extends v.ObjectEntries>(entries: E, message: string) {
  return v.pipe(plainObject(message), v.looseObject(entries, message));
}

/** An object with any keys, or with the keys that `key` allows. */
export function record<V extends v.GenericSchema>(
  message: string,
  value: V,
  key: v.GenericSchema<string, string> = v.string(),
) {
  return v.pipe(plainObject(message), v.record(key, value, message));
}

/** A list of at most `max` items, which its message calls `items`. No item of a longer one is looked at. */
export function list<S extends v.GenericSchema>(item: S, max: number, items: string, message: string) {
  const array = v.array(item, message);
  const schema: typeof array = {
    ...array,
    '~run': (dataset, config) =>
      (isLonger(dataset.value, max) ? { ...dataset, typed: true } : array['~run'](dataset, config)) as never,
  };
  return v.pipe(schema, v.maxLength(max, `must have at most ${max} ${items}`));
}

function isLonger(value: unknown, max: number): boolean {
  return Array.isArray(value) && value.length > max;
}

/**
 * Validates a parsed JSON object, called `whole`. Throws a 400 `ApiError` that names the first wrong field and what it
 * must be.
 */
export function validate<S extends v.GenericSchema>(
  schema: S,
  input: unknown,
  whole = 'The request body',
): v.InferOutput<S> {
  return check(schema, input, whole, null);
}

/**
 * Validates the object in a field of a request. `param` is the path of the field. Throws a 400 `ApiError` that names the first wrong
 * field within it and what that must be.
 */
export function validateField<S extends v.GenericSchema>(schema: S, input: unknown, param: string): v.InferOutput<S> {
  return check(schema, input, param, param);
}

function check<S extends v.GenericSchema>(
  schema: S,
  input: unknown,
  whole: string,
  within: string | null,
): v.InferOutput<S> {
  // Valibot would take a list for an object without fields.
  if (Array.isArray(input)) throw invalidRequest(`${whole} must be a JSON object.`, within);
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return result.output;
  const issue = innermost(result.issues[0]);
  const path = fieldPath(issue);
  const param = within !== null && path !== null ? `${within}.${path}` : (path ?? within);
  const complaint = issue.input === undefined ? 'is required' : issue.message;
  throw invalidRequest(`${param ?? whole} ${complaint}.`, param);
}

type Issue = v.BaseIssue<unknown>;

/**
 * Finds the most useful issue inside a union's issue: that of the branch that matched furthest, since `content[1].text`
 * tells more than `content`. If several branches matched equally far with different messages, returns the union's own
 * issue, which names them all.
 */
function innermost(issue: Issue): Issue {
  if (issue.kind !== 'schema' || issue.type !== 'union') return issue;
  const [furthest, next] = (issue.issues ?? [])
    .filter(({ path, kind }) => path || kind === 'validation')
    .map(innermost)
    .toSorted((a, b) => compareReach(b, a));
  if (!furthest || (next && compareReach(furthest, next) === 0 && furthest.message !== next.message)) return issue;
  const path = [...(issue.path ?? []), ...(furthest.path ?? [])] as unknown as Issue['path'];
  return { ...furthest, path } as Issue;
}

/**
 * Positive if `a` is further inside the input than `b`: at a later item, at a deeper one, or at a value of the right
 * type.
 */
function compareReach(a: Issue, b: Issue): number {
  const [pathA, pathB] = [a.path ?? [], b.path ?? []];
  for (const [depth, { key }] of pathA.entries()) {
    const other = pathB[depth]?.key;
    if (typeof key === 'number' && typeof other === 'number' && key !== other) return key - other;
  }
  const rightType = ({ kind }: Issue) => (kind === 'validation' ? 1 : 0);
  return pathA.length - pathB.length || rightType(a) - rightType(b);
}

function fieldPath(issue: v.BaseIssue<unknown>): string | null {
  if (!issue.path) return null;
  return issue.path.reduce(
    (path, { key }) =>
      typeof key === 'number' ? `${path}[${key}]` : path === '' ? String(key) : `${path}.${String(key)}`,
    '',
  );
}
