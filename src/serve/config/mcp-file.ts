import * as v from 'valibot';
import { plainObject, record } from '../../api/fields/fields.ts';
import type { McpServerSettings } from '../../mcp/settings.ts';
import { isObject } from '../../utils/json.ts';
import { UsageError } from '../errors.ts';
import { parseGivenJson, readGivenFile } from './given-file.ts';
import { textSetting, urlSetting } from './values.ts';

const texts = v.array(textSetting, 'must be a list of texts');
const someTexts = v.pipe(texts, v.minLength(1, 'must name at least one'));

const common = {
  tools: v.pipe(
    v.optional(texts, []),
    v.minLength(1, 'must name the tools that models may call, or be ["*"] for all of them'),
  ),
  keys: v.optional(someTexts),
};
const variables = v.optional(record('must be an object of texts', v.string('must be a text')), {});

const strict = <E extends v.ObjectEntries>(entries: E, message: string) =>
  v.pipe(plainObject(message), v.strictObject(entries));

const SERVER = 'must be an object with command or url';
const stdioServer = strict(
  {
    command: textSetting,
    args: v.optional(v.array(v.string('must be a text'), 'must be a list of texts'), []),
    env: variables,
    ...common,
  },
  SERVER,
);
const httpServer = strict({ url: urlSetting, headers: variables, ...common }, SERVER);

const label = v.pipe(
  v.string(),
  v.regex(/^[\w.-]{1,64}$/, 'must be named by 1 to 64 letters, digits, dots, hyphens or underscores'),
);
const mcpFile = strict(
  { mcpServers: record('must be an object with a server by each label', v.unknown(), label) },
  'must be a JSON object with mcpServers',
);

/**
 * Reads the file of MCP servers, in the form that other programs have it: `mcpServers` with a `command` or a `url` by
 * each label, and besides that `tools` and `keys`. `${NAME}` in the values of `env` and `headers` stands for a variable
 * of `env`. Throws a `UsageError` that names the file and what is wrong with it, but no value.
 */
export function readMcpFile(path: string, env: NodeJS.ProcessEnv): McpServerSettings[] {
  const what = `${path}, the file of --mcp,`;
  const json = parseGivenJson(readGivenFile(path, 'the file of --mcp'), what);
  const { mcpServers } = check(mcpFile, json, what);
  return Object.entries(mcpServers).map(([name, server]) => toSettings(name, server, env, what));
}

function toSettings(label: string, given: unknown, env: NodeJS.ProcessEnv, what: string): McpServerSettings {
  const at = `${what} at ${label}`;
  if (isObject(given) && 'url' in given) {
    const { url, headers, ...consent } = check(httpServer, given, at);
    return { label, reach: { kind: 'http', url, headers: fillIn(headers, env, at) }, ...toConsent(consent) };
  }
  const { command, args, env: own, ...consent } = check(stdioServer, given, at);
  return { label, reach: { kind: 'stdio', command, args, env: fillIn(own, env, at) }, ...toConsent(consent) };
}

function toConsent({ tools, keys }: { tools: string[]; keys?: string[] | undefined }) {
  return { tools: tools.includes('*') ? null : tools, keys: keys ?? null };
}

/** Puts the values of variables in the place of their names. Throws a `UsageError` for one that is not set. */
function fillIn(values: Record<string, string>, env: NodeJS.ProcessEnv, at: string): Record<string, string> {
  const filled = Object.entries(values).map(([key, value]) => [
    key,
    value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
      const found = env[name];
      if (found === undefined) throw new UsageError(`${at} needs the environment variable ${name}, which is not set`);
      return found;
    }),
  ]);
  return Object.fromEntries(filled);
}

function check<S extends v.GenericSchema>(schema: S, value: unknown, what: string): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const place = v.getDotPath(issue);
  throw new UsageError(`${what} is wrong${place ? ` at ${place}` : ''}: ${wordsOf(issue)}`);
}

function wordsOf({ type, expected, message }: v.BaseIssue<unknown>): string {
  if (type !== 'strict_object') return message;
  return expected === 'never' ? 'there is no such field' : 'it is required';
}
