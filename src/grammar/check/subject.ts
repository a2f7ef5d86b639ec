import type { SchemaObject, SchemaPlace } from '../../contract/json-schema.ts';
import type { Violation } from '../../contract/violation.ts';

/** Called with each violation, the innermost first. */
export type Report = (violation: Violation) => void;

/** True if a value obeys the schema at a place. `path` is the place of the value. */
export type Check = (place: SchemaPlace, value: unknown, path?: string, report?: Report) => boolean;

/**
 * A value, and the keywords of one schema that it is checked against. `$ref` and other keywords with schemas are
 * checked elsewhere.
 */
export interface Subject<Value = unknown> {
  schema: SchemaObject;
  place: SchemaPlace;
  value: Value;
  path: string;
  check: Check;
  report: Report;
  /** Returns `isRight`, and reports the violation if it is false. */
  must(isRight: boolean, keyword: string, message: string): boolean;
  /**
   * True if all parts return true. Runs every part if violations are reported, else stops at the first that returns
   * false.
   */
  all(parts: (() => boolean)[]): boolean;
}
