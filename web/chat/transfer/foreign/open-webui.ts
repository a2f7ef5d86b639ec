import * as v from 'valibot';
import { IMAGE_URL } from '../../attachments/image-url.ts';
import type { ForeignChat, ForeignMessage } from './foreign.ts';

// The format of the files of Open WebUI's "Export chats", and of its download of one chat. Times are in s.

const message = v.object({
  id: v.string(),
  parentId: v.nullish(v.string(), null),
  role: v.string(),
  content: v.nullish(v.string(), ''),
  timestamp: v.nullish(v.number(), null),
  model: v.nullish(v.string()),
  modelName: v.nullish(v.string()),
  files: v.nullish(v.array(v.object({ type: v.optional(v.string()), url: v.nullish(v.string()) })), []),
});

const chat = v.object({
  id: v.string(),
  title: v.nullish(v.string(), ''),
  created_at: v.nullish(v.number(), null),
  updated_at: v.nullish(v.number(), null),
  chat: v.object({
    title: v.nullish(v.string(), ''),
    system: v.nullish(v.string()),
    params: v.nullish(v.object({ system: v.nullish(v.string()) })),
    history: v.object({
      currentId: v.nullish(v.string(), null),
      messages: v.record(v.string(), message),
    }),
  }),
});

/** Parses Open WebUI's export to its chats. */
export const openWebUiExport = v.pipe(
  v.union([
    v.array(chat),
    v.pipe(
      chat,
      v.transform((one) => [one]),
    ),
  ]),
  v.transform((all) => all.map(toForeign)),
);

function toForeign({ id, title, created_at, updated_at, chat: own }: v.InferOutput<typeof chat>): ForeignChat {
  const messages = Object.values(own.history.messages);
  const times = messages.flatMap(({ timestamp }) => timestamp ?? []);
  const createdAt = toMs(created_at ?? times[0] ?? 0);
  return {
    id,
    title: title || own.title || '',
    system: own.system ?? own.params?.system ?? '',
    createdAt,
    updatedAt: toMs(updated_at ?? times.at(-1) ?? 0) || createdAt,
    messages: messages.map(toMessage),
    shown: own.history.currentId,
  };
}

function toMessage(own: v.InferOutput<typeof message>): ForeignMessage {
  const { id, parentId, role, content, timestamp, files } = own;
  const { text, reasoning } = withoutThoughts(content ?? '');
  const images = (files ?? []).flatMap(({ url }) => (url && IMAGE_URL.test(url) ? [url] : []));
  // All other files stay on the server that made the export.
  const missing = (files ?? []).length - images.length;
  const whole = [text, ...Array<string>(missing).fill('(A file that is not in the export.)')].join('\n\n').trim();
  const isEmpty = whole === '' && images.length === 0;
  const said = (): ForeignMessage['said'] => {
    if (role === 'user' && !isEmpty) return { role, text: whole, images };
    const hasWords = whole !== '' || reasoning !== '';
    if (role === 'assistant' && hasWords)
      return { role, text: whole, model: own.modelName ?? own.model ?? 'Open WebUI' };
    return null;
  };
  return { id, parent: parentId, time: timestamp === null ? null : toMs(timestamp), said: said(), reasoning };
}

/**
 * Splits a text into reply and reasoning. Open WebUI writes the reasoning into the text, as a quote in a `<details>`
 * element.
 */
function withoutThoughts(content: string): { text: string; reasoning: string } {
  const thoughts: string[] = [];
  const block = /<details type="reasoning"[^>]*>\s*(?:<summary>[^<]*<\/summary>)?([\s\S]*?)<\/details>\s*/g;
  const text = content.replace(block, (_, thought: string) => {
    thoughts.push(unescaped(thought).replace(/^> ?/gm, '').trim());
    return '';
  });
  return { text, reasoning: thoughts.join('\n\n') };
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#x27': "'", '#39': "'", amp: '&' };

function unescaped(html: string): string {
  return html.replace(/&(lt|gt|quot|#x27|#39|amp);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** Returns a time in ms. Some versions of Open WebUI write ms instead of s. */
function toMs(time: number): number {
  return time > 1e11 ? time : Math.round(time * 1000);
}
