/** A keyword of a schema that a value violates. */
export interface Violation {
  /** The place in the value, as a JSON pointer: '' is the whole value, '/tags/1' the second of its `tags`. */
  path: string;
  keyword: string;
  /** The rule for the value at the place, as in `must be a number`. */
  message: string;
}
