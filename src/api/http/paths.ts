const API_PATH = /^\/(?:(?:v1|api)(?:\/|$)|health$|ready$|metrics$|openapi\.json$)/;

/** Says whether a path belongs to the API and to nothing else: no file of a site is served there. */
export function isApiPath(path: string): boolean {
  return API_PATH.test(path);
}

/**
 * The path of the route that a request means. Clients differ in whether the base URL that they are given has `/v1`, and some
 * add a slash at the end: both reach the same route.
 */
export function canonicalPath(path: string): string {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return bare === '/' || isApiPath(bare) ? bare : `/v1${bare}`;
}
