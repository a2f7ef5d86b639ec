const API_PATH = /^\/(?:(?:v1|api)(?:\/|$)|health$|ready$|metrics$|props$|slots$|openapi\.json$)/;

/** True if a path belongs to the API alone, so that no file of a site is served there. */
export function isApiPath(path: string): boolean {
  return API_PATH.test(path);
}

/**
 * Returns the path of the route for a request's path. Clients expect a base URL with `/v1` or without it, and some add
 * a slash at the end: all of these paths lead to the same route.
 */
export function canonicalPath(path: string): string {
  return versionedPath(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
}

/** Returns the path with the `/v1` that a client has left out. A slash at its end stays. */
export function versionedPath(path: string): string {
  return path === '/' || isApiPath(path) ? path : `/v1${path}`;
}
