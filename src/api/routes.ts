import { invalidRequest } from '../contract/errors.ts';
import type { Family, Route } from './family.ts';
import { type Dialect, openAiErrors } from './http/dialect.ts';
import { canonicalPath, versionedPath } from './http/paths.ts';

/**
 * A route with its family and the pattern of its paths. The groups of the pattern, if any, are the handler's
 * parameter.
 */
interface Entry {
  route: Route;
  family: Family;
  pattern: RegExp;
}

/** The routes that a request's path leads to. */
export interface Found {
  /** One route for each method that the path takes. */
  taken: Route[];
  /** The route for the request's method. Absent if the path does not take it. */
  route?: Route;
  /**
   * Returns the decoded parameter of the path, or '' if the route has none; several are joined by slashes. Throws a 400
   * `ApiError` for an invalid encoding.
   */
  parameter(): string;
}

/**
 * The routes of several families. It takes paths as clients send them: undecoded, with or without `/v1` and a last
 * slash.
 */
export interface RouteTable {
  /** Finds the routes of a request. HEAD means the route for GET. */
  find(request: { method: string; path: string }): Found;
  /** True if there is a route at the path, for whatever method. */
  has(path: string): boolean;
  /**
   * Returns how errors at a path read: by the family of its route, or by the family that declares the path for its
   * errors.
   */
  dialectOf(path: string): Dialect;
}

/** Makes a table. If several routes match one path and one method, the first of them counts. */
export function createRouteTable(families: Family[]): RouteTable {
  const entries = families.flatMap((family) =>
    family.routes.map((route): Entry => ({ route, family, pattern: patternOf(route) })),
  );
  const search = (path: string) => entries.filter(({ pattern }) => pattern.test(path));
  // Most requests are for a path without a parameter. They try no pattern.
  const byPath = new Map(entries.map(({ route: { path } }) => [path, search(path)]));
  const entriesAt = (canonical: string) => byPath.get(canonical) ?? search(canonical);

  return {
    find({ method, path }) {
      const canonical = canonicalPath(path);
      const at = entriesAt(canonical);
      const wanted = method === 'HEAD' ? 'GET' : method;
      const entry = at.find(({ route }) => route.method === wanted);
      return {
        taken: at.map(({ route }) => route),
        ...(entry && { route: entry.route }),
        parameter: () => (entry?.pattern.exec(canonical) ?? []).slice(1).map(decodeParameter).join('/'),
      };
    },
    has: (path) => entriesAt(canonicalPath(path)).length > 0,
    dialectOf(path) {
      const [entry] = entriesAt(canonicalPath(path));
      const family = entry?.family ?? families.find(({ errorPaths = [] }) => errorPaths.some(isAbove(path)));
      return family?.dialect ?? openAiErrors;
    },
  };
}

/** Returns a check: true for a prefix that the path equals or goes on from with a slash. */
function isAbove(path: string): (prefix: string) => boolean {
  const asked = versionedPath(path);
  return (prefix) => asked === prefix || asked.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}

function patternOf({ path }: Route): RegExp {
  // Only a parameter that is alone may contain slashes: of several, it would not be clear where each ends.
  const step = (path.match(/\{/g)?.length ?? 0) > 1 ? '([^/]+)' : '(.+)';
  const escaped = path.replaceAll('.', '\\.').replace(/\{\w+\}/g, step);
  return new RegExp(`^${escaped}$`);
}

function decodeParameter(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw invalidRequest('The path is not a valid URL encoding.');
  }
}
