import type { Place, SchemaObject } from '../../contract/json-schema.ts';
import type { Violation } from '../../contract/violation.ts';

/** Is told each violation, the innermost first. */
export type Report = (violation: Violation) => void;

/** True if a value obeys the schema at a place. `path` is the place of the value. */
export type Check = (place: Place, value: unknown, path?: string, report?: Report) => boolean;

/** A value that is checked against one schema, without `$ref` and the like. */
export interface Subject<Value = unknown> {
  schema: SchemaObject;
  place: Place;
  value: Value;
  path: string;
  check: Check;
  report: Report;
  /** Returns `isRight`, and reports the violation if it is false. */
  must(isRight: boolean, keyword: string, message: string): boolean;
  /** True if all parts are. Runs every part, so that each violation is told; stops at the first if nobody is told. */
  all(parts: (() => boolean)[]): boolean;
}
