import { invalidRequest, notSupportedHere, serverError } from '../../contract/errors.ts';
import { startersLike } from '../../contract/models/find-starter.ts';
import type { PullEvent } from '../../contract/models/puller.ts';
import { STARTERS } from '../../contract/models/starters.ts';
import type { RequestContext } from '../context.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { fetchedModel } from '../models/stream.ts';
import { cancelWith } from '../stream/cancel.ts';
import { streamReply } from '../stream/event-stream.ts';
import type { Ping } from '../stream/pings.ts';
import { sha256 } from './model-facts.ts';
import { findModel, toPullSource } from './names.ts';
import { jsonLine, NDJSON } from './ndjson.ts';
import { readNamed } from './read.ts';
import { pullSchema } from './schema.ts';

const SUCCESS = { status: 'success' };

/**
 * POST /api/pull: fetches a model and tells its progress. A client that leaves ends its pull; what is fetched by then
 * is kept. Throws an `ApiError` for anything that is wrong before the first byte can be fetched.
 */
export async function ollamaPull(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, name } = await readNamed(context, request, pullSchema);
  const stream = body.stream !== false;
  const source = toPullSource(name);
  if (source === null) {
    refuseUnknown(context, name);
    return stream ? { status: 200, headers: NDJSON.headers, body: jsonLine(SUCCESS) } : jsonReply(SUCCESS);
  }
  if (!context.puller) throw notSupportedHere('This Paddock can not pull models.');
  const cancel = cancelWith(request.signal);
  const events = context.puller.pull(source, cancel.signal);
  if (!stream) return pullWhole(context, events);
  return streamReply(context, events, cancel, {
    ...NDJSON,
    opening: jsonLine({ status: 'pulling manifest' }),
    encode: createPullEncoder(context, await sha256(source)),
    isLast: ({ status }) => status === 'done',
    // Until the files to fetch are known, an error can still become a status code.
    isPrelude: ({ status }) => status === 'resolving',
  });
}

/** Throws a 400 `ApiError` for a name without a place, unless it is the name of a model in the catalogue. */
function refuseUnknown(context: RequestContext, name: string): void {
  try {
    findModel(context, name);
  } catch {
    const places = 'hf.co/org/repo, hf.co/org/repo:quant or the URL of a .gguf file';
    const alike = startersLike(name);
    const names = (alike.length > 0 ? alike : STARTERS).map((starter) => starter.name).join(', ');
    throw invalidRequest(
      `model '${name.slice(0, 200)}' can not be pulled: it is no starter model. There are ${names}. Any other model is named by its place, as in ${places}.`,
      'model',
      'invalid_source',
    );
  }
}

async function pullWhole(context: RequestContext, events: AsyncIterable<PullEvent>): Promise<ApiReply> {
  for await (const event of events) {
    if (event.status !== 'done') continue;
    fetchedModel(context, event.model);
    return jsonReply(SUCCESS);
  }
  throw serverError();
}

/**
 * Turns the events of a pull into Ollama's lines. Clients draw one progress bar for each digest. The counts here are
 * for all files together, so there is one digest: `id`, a hash of the source. A ping repeats the last line.
 */
function createPullEncoder(context: RequestContext, id: string): (event: PullEvent | Ping) => string {
  let last = jsonLine({ status: 'pulling manifest' });
  return (event) => {
    if (!('kind' in event)) last = encode(context, id, event);
    return last;
  };
}

function encode(context: RequestContext, id: string, event: PullEvent): string {
  switch (event.status) {
    case 'resolving':
      return jsonLine({ status: 'pulling manifest' });
    case 'downloading': {
      const { total, completed } = event;
      return jsonLine({ status: `pulling ${id.slice(0, 12)}`, digest: `sha256:${id}`, total, completed });
    }
    case 'waiting':
      return jsonLine({ status: `waiting: ${event.reason}` });
    case 'verifying':
      return jsonLine({ status: 'verifying sha256 digest' });
    case 'done':
      fetchedModel(context, event.model);
      return jsonLine({ status: 'writing manifest' }) + jsonLine(SUCCESS);
    default:
      return event satisfies never;
  }
}
