import * as v from 'valibot';
import { IMAGE_URL } from '../attachments/image-url.ts';
import { UNTITLED } from '../conversation/conversation.ts';
import { isField } from '../conversation/tree/merge.ts';
import { fromList } from '../conversation/tree/operations.ts';
import type { Stamp } from '../conversation/tree/stamp.ts';
import type { Patch } from '../conversation/tree/tree.ts';
import { LocalizedError } from '../messages/problem.ts';
import type { Presets } from '../presets/presets.ts';
import type { SavedPrompt } from '../prompts/prompts.ts';
import { tidyFolderName } from '../sidebar/folder-name.ts';
import { count, field, id, presetsSchema, promptSchema, settings, stamp, time } from '../state/stored.ts';
import { FORMAT, VERSION } from './export.ts';
import { chatGptExport } from './foreign/chatgpt.ts';
import { fromForeign } from './foreign/foreign.ts';
import { openWebUiExport } from './foreign/open-webui.ts';

/**
 * The largest lead of a time in a file over the clock of this computer, in ms. Later times are reduced to that, because
 * the stamp of every new change is later than all known stamps and would lie in the far future too.
 */
const AHEAD_MS = 24 * 60 * 60 * 1000;

/** Matches the data: URL of a `Recording`. */
const AUDIO_URL = /^data:audio\/(?:wav|mpeg);base64,[\w+/=]*$/;

/** A conversation must have a title: an erased conversation is recognised by its empty title. */
const title = v.pipe(
  v.string(),
  v.transform((text) => text.trim() || UNTITLED),
);

const recording = v.object({ name: v.string(), seconds: count, url: v.pipe(v.string(), v.regex(AUDIO_URL)) });

const textFile = v.object({ name: v.string(), size: count, text: v.string(), pages: v.exactOptional(count) });

const userTurn = v.object({
  role: v.literal('user'),
  id: v.string(),
  text: v.string(),
  images: v.array(v.pipe(v.string(), v.regex(IMAGE_URL))),
  recordings: v.exactOptional(v.array(recording)),
  files: v.exactOptional(v.array(textFile)),
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
  inPrompt: v.optional(count),
  tokensPerSecond: v.nullable(count),
  firstTokenMs: v.nullable(count),
  totalMs: count,
  miss: v.optional(v.picklist(['new', 'changed', 'evicted'])),
});

const replyTurn = v.object({
  role: v.literal('assistant'),
  id: v.string(),
  model: v.string(),
  text: v.string(),
  reasoning: v.string(),
  calls: v.array(call),
  begun: v.exactOptional(v.array(v.string())),
  // No tab continues to write a reply of a file, so a reply without an end was stopped.
  end: v.pipe(
    v.nullable(end),
    v.transform((known) => known ?? { kind: 'stopped' as const }),
  ),
  stats: v.nullable(stats),
  edited: v.exactOptional(v.literal(true)),
});

const toolTurn = v.object({
  role: v.literal('tool'),
  id: v.string(),
  callId: v.string(),
  text: v.string(),
  outcome: v.exactOptional(v.picklist(['failed', 'declined'])),
});

const chatTools = v.object({
  calculator: v.boolean(),
  servers: v.boolean(),
  // The consents of a file are dropped: only the person at this browser may give consent.
  allowed: v.pipe(
    v.array(v.string()),
    v.transform((): string[] => []),
  ),
});

const turn = v.variant('role', [userTurn, replyTurn, toolTurn]);

/** The fields of both versions. */
const about = { id, createdAt: time, updatedAt: time };

const conversation = v.object({
  ...about,
  title,
  model: v.nullable(v.string()),
  settings,
  turns: v.array(turn),
});

const head = v.object({
  ...about,
  title: field(title),
  model: field(v.nullable(v.string())),
  settings: field(settings),
  deleted: field(v.boolean()),
  shown: field(v.nullable(v.string())),
  pinned: v.exactOptional(field(v.boolean())),
  folder: v.exactOptional(field(v.pipe(v.string(), v.transform(tidyFolderName)))),
  tools: v.exactOptional(field(chatTools)),
  second: v.exactOptional(field(v.nullable(v.string()))),
  compared: v.exactOptional(field(v.array(v.string()))),
});

const message = v.pipe(
  v.object({
    conversation: id,
    id,
    parent: v.nullable(v.string()),
    made: stamp,
    turn: field(turn),
    deleted: field(v.boolean()),
    cut: v.exactOptional(field(v.nullable(v.object({ summary: v.nullable(v.string()) })))),
  }),
  v.check((one) => one.turn.value.id === one.id, 'A message has the id of its turn.'),
);

const lists = v.object({
  format: v.literal(FORMAT),
  version: v.literal(1),
  conversations: v.array(conversation),
});

const trees = v.object({
  format: v.literal(FORMAT),
  version: v.literal(VERSION),
  heads: v.array(head),
  messages: v.pipe(
    v.array(message),
    v.check((all) => hasParentsFirst(all), 'Each message comes after the one that it follows.'),
  ),
  presets: v.exactOptional(presetsSchema),
  prompts: v.exactOptional(v.array(promptSchema)),
});

const file = v.variant('version', [lists, trees]);

/** The content of a file. `presets` and `prompts` are absent if the file has none. */
export interface Imported extends Patch {
  presets?: Presets;
  prompts?: SavedPrompt[];
}

/**
 * Parses an export file of this page, of ChatGPT or of Open WebUI. `now` is a Unix time in ms. Throws a
 * `LocalizedError` if the file can't be imported.
 */
export function importText(text: string, now: number): Imported {
  const value = readJson(text);
  if (!isOurs(value)) return noLaterThan(now + AHEAD_MS, fromOthers(value));
  const { presets: kept, ...patch } = fromOurs(value);
  return { ...noLaterThan(now + AHEAD_MS, patch), ...(kept && { presets: presetsNoLaterThan(now + AHEAD_MS, kept) }) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Every ZIP archive begins with these letters. ChatGPT's export is one.
    if (text.startsWith('PK')) throw new LocalizedError('chats.isArchive');
    throw new LocalizedError('chats.notJson');
  }
}

function isOurs(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === FORMAT;
}

function fromOurs(value: unknown): Imported {
  const read = v.safeParse(file, value);
  if (read.success) return toPatch(read.output);
  const [issue] = read.issues;
  const place = v.getDotPath(issue);
  throw place ? new LocalizedError('chats.notOursAt', { place }) : new LocalizedError('chats.notOurs');
}

function fromOthers(value: unknown): Patch {
  const read = [chatGptExport, openWebUiExport]
    .map((schema) => v.safeParse(schema, value))
    .find(({ success }) => success);
  if (!read?.success) throw new LocalizedError('chats.notAny');
  const patches = read.output.flatMap((chat) => fromForeign(chat) ?? []);
  return joined(patches);
}

function joined(patches: Patch[]): Patch {
  return { heads: patches.flatMap(({ heads }) => heads), messages: patches.flatMap(({ messages }) => messages) };
}

function toPatch(content: v.InferOutput<typeof file>): Imported {
  if (content.version === VERSION) {
    const ids = new Set(content.heads.map((one) => one.id));
    const messages = content.messages.filter(({ conversation }) => ids.has(conversation));
    return {
      heads: content.heads,
      messages,
      ...(content.presets && { presets: content.presets }),
      ...(content.prompts && { prompts: content.prompts }),
    };
  }
  return joined(content.conversations.map(fromList));
}

/** Returns functions that reduce stamps later than `last` to `last`: of one stamp, and of all fields of an object. */
function boundTo(last: number): { bound: (moment: Stamp) => Stamp; boundFields: <T extends object>(part: T) => T } {
  const bound = (moment: Stamp): Stamp => (moment.time <= last ? moment : { ...moment, time: last });
  const boundFields = <T extends object>(part: T): T =>
    Object.fromEntries(
      Object.entries(part).map(([name, value]) => [name, isField(value) ? { ...value, at: bound(value.at) } : value]),
    ) as T;
  return { bound, boundFields };
}

function presetsNoLaterThan(last: number, { presets: all, defaults }: Presets): Presets {
  const { boundFields } = boundTo(last);
  const entries = Object.entries(all).map(([key, preset]) => [key, boundFields(preset)]);
  return { presets: Object.fromEntries(entries), defaults: boundFields(defaults) };
}

/** Reduces all times later than `last` to `last`. */
function noLaterThan(last: number, { heads, messages, prompts }: Omit<Imported, 'presets'>): Imported {
  const { bound, boundFields } = boundTo(last);
  return {
    heads: heads.map((one) => ({
      ...boundFields(one),
      createdAt: Math.min(one.createdAt, last),
      updatedAt: Math.min(one.updatedAt, last),
    })),
    messages: messages.map((one) => ({ ...boundFields(one), made: bound(one.made) })),
    ...(prompts && { prompts: prompts.map(boundFields) }),
  };
}

/** True if every message comes after its parent. Otherwise a file could contain a cycle of messages. */
function hasParentsFirst(messages: { conversation: string; id: string; parent: string | null }[]): boolean {
  const before = new Set<string>();
  for (const { conversation, id, parent } of messages) {
    if (parent !== null && !before.has(`${conversation} ${parent}`)) return false;
    before.add(`${conversation} ${id}`);
  }
  return true;
}
