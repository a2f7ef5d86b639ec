import { createPreparer } from '../../../src/chat/prepare.ts';
import type { EngineInfo } from '../../../src/contract/engine-info.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { GenerationRequest } from '../../../src/contract/generation-request.ts';
import type { LoadedModel } from '../../../src/contract/residency.ts';
import type { Runner } from '../../../src/contract/runner.ts';
import { type Move, nextMove } from './script.ts';

/** The work of one request. Counts are in words and marks, which stand for tokens. */
export interface Turn {
  prompt: number;
  /** The length of the prefix that an earlier prompt shares, which a slot would have cached. */
  cached: number;
  /** The reply; `overflow` if the prompt does not fit the window. */
  move: Move['kind'] | 'overflow';
}

/** A runner whose replies are a script, with the turns that it saw. */
export interface ScriptedRunner extends Runner {
  turns: Turn[];
}

const ENGINE: Omit<EngineInfo, 'contextLength' | 'trainedContextLength'> = {
  backend: 'cpu',
  runtime: 'node-llama-cpp',
  device: 'script',
  slots: 4,
  gpuLayers: 0,
  threads: 1,
};

/** The number of remembered prompts: as many as a server has slots. */
const REMEMBERED = 4;

/**
 * Makes a runner that calls a shell tool `steps` times and then says that it is done. It renders prompts with the chat
 * template, as a real engine does, to find the prefix that a KV cache would hold.
 */
export function createScriptedRunner(options: {
  model: string;
  chatTemplate: string;
  contextLength: number;
  steps: number;
}): ScriptedRunner {
  const { model, contextLength, steps } = options;
  const traits = { chatTemplate: options.chatTemplate, bos: '', eos: '<|im_end|>', controlTokens: [], infill: null };
  const prepare = createPreparer(traits);
  const turns: Turn[] = [];
  let remembered: string[][] = [];

  async function* generate(request: GenerationRequest): AsyncGenerator<GenerationEvent> {
    const words = wordsOf(prepare(request).prompt);
    const prompt = words.length;
    const cached = Math.max(0, ...remembered.map((other) => sharedLength(other, words)));
    if (prompt >= contextLength) {
      turns.push({ prompt, cached, move: 'overflow' });
      yield { kind: 'overflow', promptTokens: prompt, contextLength };
      return;
    }
    remembered = [words, ...remembered.filter((other) => sharedLength(other, words) < other.length)].slice(
      0,
      REMEMBERED,
    );
    const move =
      request.prompt.kind === 'chat' ? nextMove(request.prompt, steps) : ({ kind: 'text', text: 'Done.' } as const);
    turns.push({ prompt, cached, move: move.kind });
    yield { kind: 'progress', cache: cached, processed: prompt, total: prompt, timeMs: 1 };
    yield* say(move);
    yield {
      kind: 'done',
      promptTokens: prompt,
      cachedTokens: cached,
      completionTokens: 10,
      promptMs: 1,
      predictedMs: 1,
    };
  }

  const info: LoadedModel = {
    id: model,
    engine: { ...ENGINE, contextLength, trainedContextLength: contextLength },
    fallbackReasons: [],
    memory: 0,
    busy: 0,
    waiting: 0,
  };
  return {
    turns,
    generate: (_, request) => generate(request),
    async ask(_, kind, question) {
      if (kind !== 'countPrompt') throw new Error(`the script answers no ${kind}`);
      return { tokens: wordsOf(prepare(question as GenerationRequest).prompt).length } as never;
    },
    loaded: () => [info],
    moving: () => [],
  };
}

async function* say(move: Move): AsyncGenerator<GenerationEvent> {
  if (move.kind === 'text') {
    yield { kind: 'text', choice: 0, text: move.text, tokens: 1 };
    yield { kind: 'finish', choice: 0, reason: 'stop' };
    return;
  }
  yield { kind: 'toolCall', choice: 0, index: 0, name: move.name };
  yield { kind: 'toolArguments', choice: 0, index: 0, text: move.arguments };
  yield { kind: 'finish', choice: 0, reason: 'tool_calls' };
}

type Rendered = ReturnType<ReturnType<typeof createPreparer>>['prompt'];

/** Splits a prompt into words and marks, which are about as long as real tokens. */
function wordsOf(prompt: Rendered): string[] {
  if (typeof prompt === 'string') return prompt.match(/\s*(?:\w+|[^\w\s])/g) ?? [];
  return prompt.flatMap((part) => (typeof part === 'number' ? [String(part)] : wordsOf(part.text)));
}

function sharedLength(a: string[], b: string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
