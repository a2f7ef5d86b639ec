import type { SchemaObject } from './json-schema.ts';
import type { SchemaCompiler } from './schema-compiler.ts';

/** The count that a keyword gives, `absent` where it is not given. Throws a 400 `ApiError` for one over the limit. */
export function countUpTo(
  limit: number,
  compiler: SchemaCompiler,
  schema: SchemaObject,
  path: string,
  keyword: string,
  absent: number,
): number {
  if (schema[keyword] === undefined) return absent;
  const value = Number(schema[keyword]);
  if (value > limit) throw compiler.refuse(path, keyword, `is over the limit of ${limit}`);
  return value;
}
