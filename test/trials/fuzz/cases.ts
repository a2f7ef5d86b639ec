import { createDice, type Dice } from '../../kit/dice.ts';
import type { Sent } from '../../kit/http.ts';
import { makeValue, type Schema } from './from-schema.ts';
import { mutate, writeJson } from './mutate.ts';
import { oddText } from './odd-values.ts';
import { makeRawCase, type RawCase } from './raw.ts';

/** The used part of an OpenAPI document. */
export interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

/** A request, or raw bytes for a connection. */
export type Case = { kind: 'request'; sent: Sent } | { kind: 'raw'; raw: RawCase };

/** The models that fuzzed requests may run. */
export interface FuzzModels {
  chat: string;
  embedding: string;
  rerank: string;
}

const RAW_SHARE = 0.06;
/** The share of requests that name an existing model. The others are validated as well, and then refused. */
const REAL_MODEL = 0.3;
/** The share of requests that are sent unchanged, as they were made from the schema. */
const VALID = 0.15;

/** Makes the case with this number. The same seed and number always make the same case. */
export function makeCase(document: OpenApi, models: FuzzModels, seed: number, index: number): Case {
  const dice = createDice((Math.imul(seed, 1_000_003) + index) >>> 0);
  if (dice.chance(RAW_SHARE)) return { kind: 'raw', raw: makeRawCase(dice) };
  const [path, methods] = dice.pick(Object.entries(document.paths));
  const [method, operation] = dice.pick(Object.entries(methods));
  const schema = operation.requestBody?.content['application/json']?.schema;
  const sent: Sent = {
    method: oddMethod(method.toUpperCase(), dice),
    path: fillIn(path, dice),
    headers: oddHeaders(dice),
  };
  if (!schema) return { kind: 'request', sent: dice.chance(0.1) ? { ...sent, body: oddText(dice) } : sent };
  const resolve = (ref: string) => document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {};
  const made = makeValue(schema, resolve, dice);
  const named = nameModel(made, path, models, dice);
  const value = dice.chance(VALID) ? named : mutate(named, dice);
  return { kind: 'request', sent: { ...sent, body: writeJson(value, dice) } };
}

/** Returns a case as a text by which it can be sent again by hand. */
export function describeCase(made: Case): string {
  if (made.kind === 'raw') return `${made.raw.name}: ${JSON.stringify(made.raw.pieces.join(''))}`;
  const { method, path, headers, body } = made.sent;
  return `${method} ${JSON.stringify(path)} ${JSON.stringify(headers)} ${JSON.stringify(body ?? '')}`;
}

function nameModel(value: unknown, path: string, models: FuzzModels, dice: Dice): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // A pull from any other source would leave this machine.
  if (path.endsWith('/pull'))
    return { ...value, model: dice.pick(['hf:a/b', 'a/b', 'hf:a/b:x', 'http://127.0.0.1:9/x.gguf', 'x']) };
  const model = path.includes('embed') ? models.embedding : path.includes('rerank') ? models.rerank : models.chat;
  return { ...value, model: dice.chance(REAL_MODEL) ? model : 'nobody', max_tokens: 1 + dice.below(8) };
}

function oddMethod(method: string, dice: Dice): string {
  return dice.chance(0.02)
    ? dice.pick(['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND'])
    : method;
}

/** Fills the parameter of a path with an odd text, which is never the name of an existing model. */
function fillIn(path: string, dice: Dice): string {
  const filled = path.replace(/\{\w+\}/, () => encodeURIComponent(`x${oddText(dice).slice(0, 500).toWellFormed()}`));
  if (dice.chance(0.02)) return `${filled}?${encodeURIComponent(oddText(dice).slice(0, 500).toWellFormed())}`;
  return dice.chance(0.01) ? `${filled}/` : filled;
}

function oddHeaders(dice: Dice): Record<string, string> {
  if (dice.chance(0.96)) return {};
  return dice.pick([
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { authorization: 'Bearer x' },
    { authorization: 'x'.repeat(5000) },
    { 'x-request-id': 'x'.repeat(200) },
    { 'x-request-id': '\u00e9\u00ff' },
    { accept: 'text/event-stream', 'accept-encoding': 'br' },
    { expect: '100-continue' },
  ]);
}
