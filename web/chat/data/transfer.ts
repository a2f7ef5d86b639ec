import * as v from 'valibot';
import type { Conversation } from './conversation.ts';
import { SAMPLING_FIELDS } from './settings.ts';

const FORMAT = 'paddock-chats';
const VERSION = 1;

/** Matches images that browsers draw and that can't contain scripts. */
export const IMAGE_URL: RegExp = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[\w+/=]*$/;

/** Matches the data: URL of a `Recording`. */
const AUDIO_URL = /^data:audio\/(?:wav|mpeg);base64,[\w+/=]*$/;

const count = v.pipe(v.number(), v.finite());

const recording = v.object({ name: v.string(), seconds: count, url: v.pipe(v.string(), v.regex(AUDIO_URL)) });

const userTurn = v.object({
  role: v.literal('user'),
  id: v.string(),
  text: v.string(),
  images: v.array(v.pipe(v.string(), v.regex(IMAGE_URL))),
  recordings: v.exactOptional(v.array(recording)),
});

const call = v.object({
  id: v.string(),
  type: v.literal('function'),
  function: v.object({ name: v.string(), arguments: v.string() }),
});

const end = v.variant('kind', [
  v.object({
    kind: v.literal('finished'),
    reason: v.picklist(['stop', 'length', 'tool_calls', 'content_filter']),
  }),
  v.object({ kind: v.literal('stopped') }),
  v.object({ kind: v.literal('failed'), message: v.string(), code: v.nullable(v.string()) }),
]);

const stats = v.object({
  promptTokens: count,
  cachedTokens: count,
  tokens: count,
  tokensPerSecond: v.nullable(count),
  firstTokenMs: v.nullable(count),
  totalMs: count,
});

const replyTurn = v.object({
  role: v.literal('assistant'),
  id: v.string(),
  model: v.string(),
  text: v.string(),
  reasoning: v.string(),
  calls: v.array(call),
  end: v.nullable(end),
  stats: v.nullable(stats),
});

const toolTurn = v.object({ role: v.literal('tool'), id: v.string(), callId: v.string(), text: v.string() });

const sampling = v.record(v.picklist(SAMPLING_FIELDS.map(({ name }) => name)), count);

const conversation = v.object({
  id: v.pipe(v.string(), v.nonEmpty()),
  title: v.string(),
  createdAt: count,
  updatedAt: count,
  model: v.nullable(v.string()),
  settings: v.object({ system: v.string(), tools: v.string(), sampling }),
  turns: v.array(v.variant('role', [userTurn, replyTurn, toolTurn])),
});

const file = v.object({
  format: v.literal(FORMAT),
  version: v.literal(VERSION),
  conversations: v.array(conversation),
});

/** Makes the text of an export file. */
export function exportText(conversations: Conversation[]): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, conversations }, null, 2)}\n`;
}

/** Reads the conversations of an export file. Throws an `Error` that tells people what is wrong with it. */
export function importText(text: string): Conversation[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('This file is not JSON, so it is no export of chats.');
  }
  const read = v.safeParse(file, value);
  if (read.success) return read.output.conversations;
  const [issue] = read.issues;
  const place = v.getDotPath(issue);
  throw new Error(`This file is no export of chats from Paddock${place ? `: ${place} is not as expected` : ''}.`);
}
