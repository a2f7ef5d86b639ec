import type { ModelTraits } from '../../chat/prepare.ts';
import type { EngineInfo } from '../../contract/engine-info.ts';
import { unsupportedParameter } from '../../contract/errors.ts';
import type { Log } from '../../contract/log.ts';
import { askFrom } from '../answers.ts';
import type { EngineOptions, TextEngine } from '../engine.ts';
import { availableMemory } from '../node/available-memory.ts';
import { usableCores } from '../node/cores.ts';
import type { CopyFigures, WorkerConfig } from '../node/task.ts';
import { loadDraftModel } from './draw/draft-model.ts';
import { embeddingAnswers, rerankAnswers } from './embedding-engine.ts';
import { createGenerate } from './generate.ts';
import { createDecoder, type Decoder } from './llama/decoder.ts';
import { createGrowingContext, type GrowingContext } from './llama/growing-context.ts';
import {
  canRewind,
  chatLength,
  inOurWords,
  type LlamaModel,
  loadNativeModel,
  type NativeModel,
  unloadModel,
} from './llama/llama.ts';
import { textContextOptions, textLength } from './llama/text-context.ts';
import { createVocabulary } from './llama/vocabulary.ts';
import { NO_COPIES } from './prefix/copies.ts';
import { measureCopy } from './prefix/copy-cost.ts';
import { createIdleCopies } from './prefix/idle-copies.ts';
import { UNKNOWN_COSTS } from './prefix/prefix-plan.ts';
import { createPrefixStore } from './prefix/prefix-store.ts';
import { type CopyLink, createTieredCopies } from './prefix/tiered-copies.ts';
import { createDriver } from './step/driver.ts';
import { createPassTimes } from './step/pass-times.ts';
import { measureThreads, type ThreadChoice } from './step/thread-count.ts';
import { atOnce, createTextPasses } from './text-passes.ts';

/** An engine that can save its slots before its process ends. */
export interface LeavingEngine extends TextEngine {
  /**
   * Copies all slots that have no copy yet. Waits for the generations that are being cancelled, and copies their slots
   * as well. Never rejects.
   */
  leave(): Promise<void>;
}

/**
 * Loads a model into llama.cpp's native build. Throws `InsufficientMemory` if there is too little memory, and a plain
 * error with the reason for every other failure.
 *
 * @param link the connection to the store of copies; without it the engine makes no copies
 * @param available returns the bytes of memory that are available now
 */
export async function loadNativeEngine(
  options: EngineOptions,
  backend: 'gpu' | 'cpu',
  log: Log,
  memory: WorkerConfig['memory'] = { needed: 0, available: 0 },
  link?: CopyLink & CopyFigures,
  available = availableMemory,
): Promise<LeavingEngine> {
  const loaded = await loadNativeModel(options, backend, log, memory);
  // While a context grows, it takes its memory twice.
  const grows = backend === 'cpu' && memory.needed <= memory.available / 2;
  const openContext = () => createGrowingContext(loaded.model, options, grows, log, available);
  try {
    return await createEngine(loaded, options, backend, log, openContext, link);
  } catch (error) {
    await unloadModel(loaded);
    throw inOurWords(error);
  }
}

async function createEngine(
  loaded: NativeModel,
  options: EngineOptions,
  backend: 'gpu' | 'cpu',
  log: Log,
  openContext: () => Promise<GrowingContext>,
  link: (CopyLink & CopyFigures) | undefined,
): Promise<LeavingEngine> {
  const { model } = loaded;
  const vocabulary = createVocabulary(model);
  const common = {
    traits: traitsOf(model, vocabulary.controlTokens),
    [Symbol.asyncDispose]: () => unloadModel(loaded),
  };
  const info = await describe(loaded, options, backend);

  if (options.kind === 'chat') {
    const context = await openContext();
    const times = createPassTimes();
    const decoder = createDecoder(context, {
      window: model.fileInsights.swaSize ?? null,
      rewinds: canRewind(loaded),
    });
    const { reason, ...counts } = await threadsFor(decoder, options, backend);
    const driver = createDriver(decoder, counts, backend === 'cpu', times);
    const copied = { ms: await measureCopy(decoder, counts.reply), room: decoder.room };
    const copyMs = () => (copied.ms * decoder.room) / copied.room;
    const costs = () => ({
      ...(driver.promptTokenMs === null ? UNKNOWN_COSTS : { tokenMs: driver.promptTokenMs, copyMs: copyMs() }),
      rowsMs: times.rows.of,
    });
    const { bytesPerToken = 0 } = link ?? {};
    const promptTokenMs = () => driver.promptTokenMs;
    const wholeOnly = !canRewind(loaded);
    const copies = link && createTieredCopies({ decoder, link, bytesPerToken, promptTokenMs, wholeOnly });
    const store = createPrefixStore(decoder, copies ?? NO_COPIES, wholeOnly, costs);
    const draft = await loadDraftModel(loaded, options, context.contextLength, () => driver.replyThreads, log);
    const ahead = { times, oneByOne: options.oneByOne ?? false, draft };
    const idle = copies && createIdleCopies(copies, store.held);
    const running = new Set<Promise<void>>();
    const generate = createGenerate({ loaded, decoder, vocabulary, driver, store, ahead, log });
    return {
      ...common,
      async [Symbol.asyncDispose]() {
        idle?.stop();
        await draft?.[Symbol.asyncDispose]();
        await common[Symbol.asyncDispose]();
      },
      info: {
        ...info,
        contextLength: context.contextLength,
        slots: decoder.sequences,
        threads: counts.reply,
        threadsReason: reason,
      },
      generate: async (request, emit, signal) => {
        const ended = generate(request, emit, signal);
        running.add(ended);
        try {
          await ended;
        } finally {
          running.delete(ended);
          idle?.noteEnd();
        }
      },
      async leave() {
        if (!idle) return;
        await idle.finish();
        // The server cancels its replies before it stops, and they end at the next step.
        await Promise.allSettled(running);
        await idle.finish();
      },
      ask: askFrom(vocabulary.answers),
    };
  }
  const contextLength = textLength(model, options);
  const settings = textContextOptions(model, options);
  const compute = backend === 'cpu' ? createTextPasses(loaded.llama, info.threads) : atOnce;
  const answers =
    options.kind === 'embedding'
      ? embeddingAnswers(await model.createEmbeddingContext(settings), vocabulary, contextLength, compute)
      : rerankAnswers(await model.createRankingContext(settings), model, contextLength, compute);
  return {
    ...common,
    info: { ...info, contextLength },
    generate: refuseGeneration,
    leave: async () => {},
    ask: askFrom({ ...vocabulary.answers, ...answers }),
  };
}

/**
 * Returns the configured number of threads; without one, the number of cores on a GPU, and the quickest measured number
 * on a CPU.
 */
async function threadsFor(decoder: Decoder, { threads }: EngineOptions, backend: 'gpu' | 'cpu'): Promise<ThreadChoice> {
  if (threads !== null) return { reply: threads, prompt: threads, reason: 'as configured' };
  const { count, reason } = usableCores();
  if (backend === 'gpu' || count === 1) return { reply: count, prompt: count, reason };
  const measured = await measureThreads(decoder, count);
  return { ...measured, reason: `${reason}; ${measured.reason}` };
}

async function refuseGeneration(): Promise<never> {
  throw unsupportedParameter('model', 'The model writes no text; it is for embeddings or ranking.');
}

async function describe(
  { llama, model }: NativeModel,
  options: EngineOptions,
  backend: 'gpu' | 'cpu',
): Promise<EngineInfo> {
  const devices = backend === 'gpu' ? await llama.getGpuDeviceNames() : [];
  return {
    backend,
    runtime: 'node-llama-cpp',
    device: backend === 'gpu' ? `${llama.gpu}: ${devices.join(', ')}` : 'cpu',
    contextLength: options.contextLength ?? chatLength(model),
    trainedContextLength: model.trainContextSize,
    slots: 1,
    gpuLayers: model.gpuLayers,
    threads: options.threads ?? usableCores().count,
  };
}

function traitsOf(model: LlamaModel, controlTokens: string[]): ModelTraits {
  const { tokens } = model;
  const { prefixString, suffixString, middleString } = tokens.infill;
  return {
    chatTemplate: model.fileInfo.metadata.tokenizer.chat_template,
    bos: tokens.bosString ?? '',
    eos: tokens.eosString ?? '',
    controlTokens,
    infill:
      prefixString && suffixString && middleString
        ? { prefix: prefixString, suffix: suffixString, middle: middleString }
        : null,
  };
}
