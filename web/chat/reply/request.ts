import { withFiles } from '../attachments/text-file.ts';
import type { Recording, ReplyTurn, ShownConversation, Turn, UserTurn } from '../conversation/conversation.ts';
import { readMore, readSchema, readStop, type Settings } from '../settings/settings.ts';
import { definitionsOf, type RunnableTool } from '../tools/offer.ts';

/**
 * Returns the body of POST /v1/chat/completions for the next reply. `runnable` has the tools that the page runs,
 * besides the tools of the settings. Throws an `Error` for people if a setting can't be parsed.
 */
export function toChatRequest(
  { settings, turns }: ShownConversation,
  model: string,
  runnable: RunnableTool[] = [],
): Record<string, unknown> {
  const system = settings.system.trim() === '' ? [] : [{ role: 'system', content: settings.system }];
  return {
    model,
    messages: [...system, ...withResults(turns.filter(isForModel)).map(toMessage)],
    stream: true,
    stream_options: { include_usage: true },
    return_progress: true,
    // With this field, a conversation that exceeds the context window is an error that has both token counts.
    context_overflow: 'error',
    ...fieldsOf(settings, runnable),
  };
}

function fieldsOf(settings: Settings, runnable: RunnableTool[]): object {
  const { sampling, effort, stop: stopText, schema: schemaText, more } = settings;
  const tools = definitionsOf(settings, runnable);
  const stop = readStop(stopText);
  const schema = readSchema(schemaText);
  return {
    ...(tools.length > 0 && { tools }),
    ...sampling,
    ...(effort && { reasoning_effort: effort }),
    ...(stop.length > 0 && { stop }),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'reply', schema } } }),
    ...readMore(more),
  };
}

/**
 * Returns the body of a request that continues a reply. `conversation` ends before that reply. Throws as
 * `toChatRequest`.
 */
export function toContinuationRequest(
  conversation: ShownConversation,
  reply: ReplyTurn,
  model: string,
  runnable: RunnableTool[] = [],
): object {
  const request = toChatRequest(conversation, model, runnable);
  const { text: content, reasoning } = reply;
  const message = { role: 'assistant', content, ...(reasoning !== '' && { reasoning_content: reasoning }) };
  return {
    ...request,
    messages: [...(request.messages as object[]), message],
    continue_final_message: true,
    add_generation_prompt: false,
  };
}

/** False for a reply without text and calls, for example after an early failure. It is left out of requests. */
function isForModel(turn: Turn): boolean {
  return turn.role !== 'assistant' || turn.text !== '' || turn.calls.length > 0;
}

/**
 * Puts the results of each reply in the order of its calls. Templates need a result for every call, so a call that was
 * not run gets a result that says so.
 */
function withResults(turns: Turn[]): Turn[] {
  const all: Turn[] = [];
  let calls: string[] = [];
  let results = new Map<string, Turn>();
  const flush = () => {
    const missing = (id: string): Turn => ({ role: 'tool', id, callId: id, text: 'The call was not run.' });
    all.push(...calls.map((id) => results.get(id) ?? missing(id)));
    results = new Map();
  };
  for (const turn of turns) {
    if (turn.role === 'tool') {
      results.set(turn.callId, turn);
      continue;
    }
    flush();
    all.push(turn);
    calls = turn.role === 'assistant' ? turn.calls.map(({ id }) => id) : [];
  }
  flush();
  return all;
}

function toMessage(turn: Turn): object {
  switch (turn.role) {
    case 'user':
      return { role: 'user', content: toContent(turn) };
    case 'assistant':
      return {
        role: 'assistant',
        content: turn.text === '' ? null : turn.text,
        ...(turn.calls.length > 0 && { tool_calls: turn.calls }),
      };
    case 'tool':
      return { role: 'tool', tool_call_id: turn.callId, content: turn.text };
    default:
      return turn satisfies never;
  }
}

function toContent({ text: words, images, recordings = [], files = [] }: UserTurn): string | object[] {
  const text = withFiles(files, words);
  if (images.length + recordings.length === 0) return text;
  return [
    ...images.map((url) => ({ type: 'image_url', image_url: { url } })),
    ...recordings.map((recording) => ({ type: 'input_audio', input_audio: toInputAudio(recording) })),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ];
}

function toInputAudio({ url }: Recording): { data: string; format: 'wav' | 'mp3' } {
  return { data: url.slice(url.indexOf(',') + 1), format: url.startsWith('data:audio/wav;') ? 'wav' : 'mp3' };
}
