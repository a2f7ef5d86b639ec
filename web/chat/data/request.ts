import type { Conversation, Recording, ReplyTurn, Turn, UserTurn } from './conversation.ts';
import { readMore, readSchema, readStop, readTools, type Settings } from './settings.ts';
import { withFiles } from './text-file.ts';

/**
 * Makes the body of POST /v1/chat/completions for the next reply. Throws an `Error` for people if a text of the settings can't be
 * read.
 */
export function toChatRequest({ settings, turns }: Conversation, model: string): Record<string, unknown> {
  const system = settings.system.trim() === '' ? [] : [{ role: 'system', content: settings.system }];
  return {
    model,
    messages: [...system, ...turns.filter(isForModel).map(toMessage)],
    stream: true,
    stream_options: { include_usage: true },
    return_progress: true,
    // If the conversation is too long for the context window, the error says so with both numbers.
    context_overflow: 'error',
    ...fieldsOf(settings),
  };
}

function fieldsOf({ tools: toolsText, sampling, effort, stop: stopText, schema: schemaText, more }: Settings): object {
  const tools = readTools(toolsText);
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

/** Makes such a body that has the model go on with a reply. The conversation ends before it. */
export function toContinuationRequest(conversation: Conversation, reply: ReplyTurn, model: string): object {
  const request = toChatRequest(conversation, model);
  const { text: content, reasoning } = reply;
  const message = { role: 'assistant', content, ...(reasoning !== '' && { reasoning_content: reasoning }) };
  return {
    ...request,
    messages: [...(request.messages as object[]), message],
    continue_final_message: true,
    add_generation_prompt: false,
  };
}

/** False for a reply without text and calls, such as one that failed at once. The model does not get it. */
function isForModel(turn: Turn): boolean {
  return turn.role !== 'assistant' || turn.text !== '' || turn.calls.length > 0;
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
