import { type ApiError, invalidRequest } from '../../contract/errors.ts';

/** Makes the error for a keyword of the schema, or for the schema at `path` itself if `keyword` is null. */
export type Refuse = (path: string, keyword: string | null, reason: string) => ApiError;

/** Makes the errors of one schema: 400s that name the request field `param`, which holds the schema. */
export function createRefuse(param: string): Refuse {
  return (path, keyword, reason) =>
    invalidRequest(
      `${keyword === null ? 'The schema' : `The schema's '${keyword}'`} at ${path} ${reason}.`,
      param,
      'unsupported_schema',
    );
}
