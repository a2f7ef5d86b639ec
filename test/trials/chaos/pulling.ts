import type { Dice } from '../../kit/dice.ts';
import { readEvents, readText, send, toRefusal } from '../../kit/http.ts';
import { messageOf } from './asking.ts';
import type { Outcome } from './tally.ts';
import { PULLED, type World } from './world.ts';

/** The error codes of pulls from a hub with faults. */
const HUB_FAILURES = ['download_failed', 'source_not_found'];

/** Pulls the model from the hub, which may have faults, and removes it again; or disconnects in the middle. */
export async function pullOnce({ server, hub }: World, dice: Dice): Promise<Outcome> {
  if (dice.chance(0.4)) hub.fail('content', PULLED.file, dice.pick(FAULTS), 1);
  const left = new AbortController();
  const leaves = dice.chance(0.2);
  try {
    const sent = { path: '/v1/models/pull', body: { model: PULLED.source } };
    const reply = await send(server.url, sent, left.signal);
    if (reply.statusCode !== 200) return refused(reply.statusCode ?? 0, await readText(reply));
    for await (const data of readEvents(reply)) {
      const event = JSON.parse(data) as { status?: string; model?: { id: string }; error?: unknown };
      if (event.error) return refused(200, data);
      if (leaves && event.status === 'downloading') {
        reply.destroy();
        return { kind: 'left' };
      }
      if (event.status === 'done' && event.model) return await remove(server.url, event.model.id);
    }
    return { kind: 'broken', detail: 'the pull ended without done' };
  } catch (error) {
    return { kind: 'broken', detail: messageOf(error) };
  }
}

const FAULTS = [
  { kind: 'drop', at: 0.5 },
  { kind: 'status', status: 503 },
  { kind: 'garbled' },
  { kind: 'short', at: 0.3 },
  { kind: 'slow', pieces: 5, pauseMs: 100 },
] as const;

async function remove(url: string, id: string): Promise<Outcome> {
  const reply = await send(url, { method: 'DELETE', path: `/v1/models/${encodeURIComponent(id)}` });
  const text = await readText(reply);
  return reply.statusCode === 200 ? { kind: 'right' } : refused(reply.statusCode ?? 0, text);
}

function refused(status: number, text: string): Outcome {
  const refusal = toRefusal(status, text);
  return { kind: 'refused', refusal, expected: HUB_FAILURES.includes(refusal.code ?? '') };
}
