import { invalidRequest } from '../../contract/errors.ts';
import type { LongRecording } from '../../contract/media.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import type { Conversation } from '../generation/conversation.ts';
import { startGeneration } from '../generation/start.ts';
import { createJoiner } from './join.ts';
import type { TranscriptionForm } from './schema.ts';
import { type Window, windowsOf } from './windows.ts';

/** A piece of a transcript, or its end with the whole text and the tokens of all parts. */
export type TranscriptEvent =
  | { kind: 'text'; text: string }
  | { kind: 'done'; text: string; inputTokens: number; outputTokens: number };

/** `translate` writes English, whatever is spoken. */
export type Task = 'transcribe' | 'translate';

/** More than the fastest speech has, also in languages with several tokens for a word. It ends a model that repeats itself. */
const TOKENS_PER_SECOND = 25;
/** The tokens that a reply may have besides. */
const LEAST_TOKENS = 32;

/**
 * Writes down a recording, part by part, each as a chat with an instruction. Throws the errors of a chat: those of the first part before
 * the first event.
 */
export async function* transcribe(
  context: RequestContext,
  signal: AbortSignal,
  model: ModelCard,
  recording: LongRecording,
  form: TranscriptionForm,
  task: Task,
): AsyncGenerator<TranscriptEvent> {
  const windows = windowsOf(recording.seconds);
  const joiner = createJoiner(windows.length);
  const counts = { inputTokens: 0, outputTokens: 0 };
  let whole = '';
  const say = (text: string) => {
    whole += text;
    return { kind: 'text', text } as const;
  };
  for (const [index, window] of windows.entries()) {
    const conversation = toConversation(recording, window, form, task);
    const { events } = await startGeneration(context, { signal }, model, conversation, 'error');
    for await (const event of events) {
      // An event without text is passed on too: a stream's reply begins with the first event.
      yield say(event.kind === 'text' ? joiner.add(event.text) : '');
      if (event.kind !== 'done') continue;
      counts.inputTokens += event.promptTokens;
      counts.outputTokens += event.completionTokens;
    }
    yield say(joiner.endPart(index === windows.length - 1));
  }
  yield { kind: 'done', text: whole, ...counts };
}

/** Throws a 400 `ApiError` that names the models that hear, if this model does not. */
export function checkHears(model: ModelCard, { catalogue }: Pick<RequestContext, 'catalogue'>): void {
  if (model.audioModel) return;
  const others = catalogue.list().flatMap(({ id, audioModel }) => (audioModel ? [`'${id}'`] : []));
  const hearing =
    others.length > 0
      ? `These do: ${others.join(', ')}.`
      : 'It takes a model with a projector for audio, and there is none.';
  throw invalidRequest(`The model '${model.id}' does not accept audio. ${hearing}`, 'model', 'unsupported_content');
}

function toConversation(
  recording: LongRecording,
  { from, to }: Window,
  form: TranscriptionForm,
  task: Task,
): Conversation {
  return {
    messages: [
      {
        role: 'user',
        content: [
          { kind: 'media', media: recording.cut(from, to), param: 'file' },
          { kind: 'text', text: instructionOf(task, form) },
        ],
      },
    ],
    param: 'file',
    tools: [],
    toolChoice: 'none',
    parallelToolCalls: true,
    replyFormat: { kind: 'text' },
    reasoningEffort: 'none',
    templateKwargs: {},
    sampling: { temperature: form.temperature ?? 0 },
    maxTokens: LEAST_TOKENS + Math.ceil(TOKENS_PER_SECOND * (to - from)),
    logprobs: null,
  };
}

/** Returns the text that tells a model what to do with a recording. */
export function instructionOf(
  task: Task,
  { language, prompt }: Pick<TranscriptionForm, 'language' | 'prompt'>,
): string {
  const sentences = [
    task === 'transcribe'
      ? 'Transcribe this recording. Write only the words that are spoken, in the language in which they are spoken.'
      : 'Translate what is said in this recording into English. Write only the translation.',
  ];
  if (language) sentences.push(`The recording is in ${nameOf(language)}.`);
  if (prompt?.trim()) sentences.push(`These words tell what it is about, and how names are spelled:\n${prompt.trim()}`);
  return sentences.join(' ');
}

/** Returns the English name of a language, or its code if that is not known. */
function nameOf(code: string): string {
  return new Intl.DisplayNames('en', { type: 'language', fallback: 'code' }).of(code) ?? code;
}
