import { inside, type SchemaObject, type SchemaPlace } from '../../contract/json-schema.ts';
import type { Violation } from '../../contract/violation.ts';
import { createBudget, TooComplex } from '../budget.ts';
import { constraints } from '../schema/keywords.ts';
import { resolveReference } from '../schema/reference.ts';
import { createRefuse } from '../schema/refuse.ts';
import { PLAIN_CHECKS } from './plain.ts';
import { checkItems, checkMembers } from './structures.ts';
import type { Check, Report, Subject } from './subject.ts';
import { createTextCheck } from './text.ts';

/** The most violations that are reported for one value. */
const MAX_VIOLATIONS = 16;
/** Most steps of one check. */
const MAX_STEPS = 100_000;
/** Most schemas inside one another, by nesting or by references. */
const MAX_DEPTH = 400;
/** What a check that takes too many steps says in place of its result. */
export const UNFINISHED: Violation = {
  path: '',
  keyword: '',
  message: 'could not be checked in full, which takes too much work',
};

/**
 * Checks a JSON value against all keywords of a schema. The schema must have passed `createSchemaGrammar`. Returns at
 * most `MAX_VIOLATIONS` violations. If the check takes too many steps, `UNFINISHED` follows the violations that were found,
 * because the value may be invalid.
 */
export function checkValue(schema: unknown, value: unknown): Violation[] {
  const violations: Violation[] = [];
  try {
    const check = createCheck(schema, createBudget(MAX_STEPS).spend);
    check({ schema, path: '#' }, value, '', (violation) => violations.push(violation));
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    violations.push(UNFINISHED);
  }
  return violations.slice(0, MAX_VIOLATIONS);
}

/**
 * Makes the check of values against the parts of a schema. `spend` is called for each step of work. The check throws
 * `TooComplex` if `spend` does, and for schemas that are nested too deeply.
 */
export function createCheck(root: unknown, spend: () => void): Check {
  const context = { root: { schema: root, path: '#' }, refuse: createRefuse('schema') };
  const checkText = createTextCheck(context.refuse, spend);
  const read = new Map<unknown, SchemaObject | false>();
  let depth = 0;

  /** The keywords of a schema, which are read once. */
  const keywordsOf = (place: SchemaPlace): SchemaObject | false => {
    const known = read.get(place.schema) ?? constraints(place, context.refuse);
    read.set(place.schema, known);
    return known;
  };

  const check: Check = (place, value, path = '', report = ignore) => {
    spend();
    if (++depth > MAX_DEPTH) throw new TooComplex();
    const schema = keywordsOf(place);
    const must = (isRight: boolean, keyword: string, message: string) => {
      if (!isRight) report({ path, keyword, message });
      return isRight;
    };
    const valid =
      schema === false
        ? must(false, 'false', 'must not be there')
        : obeys({ schema, place: { schema, path: place.path }, value, path, check, report, must, all: allOf(report) });
    depth--;
    return valid;
  };

  function obeys(subject: Subject): boolean {
    const { schema, place, value, path, report, must } = subject;
    const plain = Object.entries(schema).map(([keyword, limit]) => () => {
      const message = PLAIN_CHECKS.get(keyword)?.(value, limit);
      return must(message === undefined, keyword, message ?? '');
    });
    return subject.all([
      ...plain,
      () => schema.$ref === undefined || check(resolveReference(context, place), value, path, report),
      () => checkText(subject),
      () => checkCombined(subject),
      () => checkMembers(subject, checkText.matches),
      () => checkItems(subject),
    ]);
  }

  return check;
}

function ignore(): void {}

function allOf(report: Report): Subject['all'] {
  return (parts) => (report === ignore ? parts.every((part) => part()) : parts.map((part) => part()).every(Boolean));
}

/** Checks the keywords that combine schemas. */
function checkCombined({ schema, place, value, path, check, report, must, all }: Subject): boolean {
  const list = (keyword: string) => (Array.isArray(schema[keyword]) ? [...schema[keyword].keys()] : []);
  const obeys = (...keys: (string | number)[]) => check(inside(place, ...keys), value, path, report);
  const fits = (...keys: (string | number)[]) => check(inside(place, ...keys), value);
  const fitsOne = () => {
    const count = list('oneOf').filter((index) => fits('oneOf', index)).length;
    return must(count === 1, 'oneOf', `must fit exactly one of the schemas, but fits ${count}`);
  };
  const fitsAny = () => list('anyOf').some((index) => fits('anyOf', index));
  const branches = ['then', 'else'].filter((branch) => schema[branch] !== undefined && schema[branch] !== true);
  const obeysBranch = () => {
    const branch = fits('if') ? 'then' : 'else';
    return !branches.includes(branch) || obeys(branch);
  };
  return all([
    ...list('allOf').map((index) => () => obeys('allOf', index)),
    () => schema.anyOf === undefined || must(fitsAny(), 'anyOf', 'must fit one of the schemas'),
    () => schema.oneOf === undefined || fitsOne(),
    () => schema.not === undefined || must(!fits('not'), 'not', 'must not fit the schema'),
    () => schema.if === undefined || branches.length === 0 || obeysBranch(),
  ]);
}
