import * as v from 'valibot';
import { invalidRequest } from '../../errors.ts';

/** Schema pieces whose messages complete the sentence "<field> ...". */
export const text = v.string('must be a string');
export const nonEmptyText = v.pipe(text, v.nonEmpty('must not be empty'));
export const booleanField = v.boolean('must be a boolean');

/** A finite number within a range, both ends included. */
export function between(min: number, max: number) {
  const message = `must be a number between ${min} and ${max}`;
  return v.pipe(v.number(message), v.minValue(min, message), v.maxValue(max, message));
}

/** A safe integer within a range, both ends included. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const message =
    max !== Number.MAX_SAFE_INTEGER
      ? `must be an integer between ${min} and ${max}`
      : min !== Number.MIN_SAFE_INTEGER
        ? `must be an integer of at least ${min}`
        : 'must be an integer';
  return v.pipe(v.number(message), v.safeInteger(message), v.minValue(min, message), v.maxValue(max, message));
}

export function oneOf<const T extends readonly string[]>(values: T) {
  return v.picklist(values, `must be one of ${values.join(', ')}`);
}

/** An object and nothing else: valibot's own object schemas take an array for one with numbers as its keys. */
export function plainObject(message: string) {
  return v.custom<Record<string, unknown>>(
    (input) => typeof input === 'object' && input !== null && !Array.isArray(input),
    message,
  );
}

/** An object with at least these entries; others pass through. */
export function object<E extends v.ObjectEntries>(entries: E, message: string) {
  return v.pipe(plainObject(message), v.looseObject(entries, message));
}

/** An object of any keys, or of those that `key` allows. */
export function record<V extends v.GenericSchema>(
  message: string,
  value: V,
  key: v.GenericSchema<string, string> = v.string(),
) {
  return v.pipe(plainObject(message), v.record(key, value, message));
}

/** Validates parsed JSON, called `whole`. Throws a 400 `ApiError` that names the first wrong field and what it must be. */
export function validate<S extends v.GenericSchema>(
  schema: S,
  input: unknown,
  whole = 'The request body',
): v.InferOutput<S> {
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return result.output;
  const issue = innermost(result.issues[0]);
  const param = fieldPath(issue);
  const complaint = issue.input === undefined ? 'is required' : issue.message;
  throw invalidRequest(`${param ?? whole} ${complaint}.`, param);
}

type Issue = v.BaseIssue<unknown>;

/**
 * Of a union's issue, the issue of the branch that came furthest: `content[1].text` says more than `content`.
 * Where several came equally far with different complaints, only the union's own names them all.
 */
function innermost(issue: Issue): Issue {
  if (issue.kind !== 'schema' || issue.type !== 'union') return issue;
  const [furthest, next] = (issue.issues ?? [])
    .filter(({ path }) => path)
    .map(innermost)
    .toSorted((a, b) => compareReach(b, a));
  if (!furthest || (next && compareReach(furthest, next) === 0 && furthest.message !== next.message)) return issue;
  const path = [...(issue.path ?? []), ...(furthest.path ?? [])] as unknown as Issue['path'];
  return { ...furthest, path } as Issue;
}

/** Positive when `a` is further inside the input than `b`: at a later item, deeper, or at a value of the right type. */
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
