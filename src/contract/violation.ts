/** A keyword of a schema that a value does not obey. */
export interface Violation {
  /** The place in the value, as a JSON pointer: '' is the whole value, '/tags/1' the second of its `tags`. */
  path: string;
  keyword: string;
  /** What the value at the place must be. */
  message: string;
}
