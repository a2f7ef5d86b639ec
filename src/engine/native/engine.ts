import type { ModelTraits } from '../../chat/prepare.ts';
import type { EngineInfo } from '../../contract/engine-info.ts';
import { unsupportedParameter } from '../../contract/errors.ts';
import type { Log } from '../../contract/log.ts';
import { MOST_TOKENS_TOGETHER } from '../../gguf/projector.ts';
import { askFrom } from '../answers.ts';
import type { EngineOptions, TextEngine } from '../engine.ts';
import { availableMemory } from '../node/available-memory.ts';
import { usableCores } from '../node/cores.ts';
import type { CopyFigures, CpuLibraries, WorkerConfig } from '../node/task.ts';
import { loadEagle3 } from './draft-heads/load-eagle3.ts';
import { loadMtp } from './draft-heads/load-mtp.ts';
import { createDraftLength } from './draw/draft-length.ts';
import { loadDraftModel } from './draw/draft-model.ts';
import { createGuessRecords } from './draw/speculation.ts';
import { embeddingAnswers, rerankAnswers } from './embedding-engine.ts';
import { createGenerate } from './generate.ts';
import { loadAdapters } from './llama/adapters.ts';
import { chatLength } from './llama/cache-sizes.ts';
import { createDecoder, type Decoder } from './llama/decoder.ts';
import { createGrowingContext } from './llama/growing-context.ts';
import { listDevices, openLibrary } from './llama/library/library.ts';
import { loadOnCpu, loadOnGpu } from './llama/load-model.ts';
import { openProjector, type Projector } from './llama/media/projector.ts';
import type { LlamaModel } from './llama/model.ts';
import { createTextContext } from './llama/text-context.ts';
import type { Token } from './llama/tokens/token.ts';
import { createVocabulary, type Vocabulary } from './llama/tokens/vocabulary.ts';
import { NO_COPIES } from './prefix/copies.ts';
import { measureCopy } from './prefix/copy-cost.ts';
import { createIdleCopies } from './prefix/idle-copies.ts';
import { UNKNOWN_COSTS } from './prefix/prefix-plan.ts';
import { createPrefixStore } from './prefix/prefix-store.ts';
import { type CopyLink, createTieredCopies } from './prefix/tiered-copies.ts';
import { createDriver, type Driver } from './step/driver.ts';
import { gpuCost } from './step/gpu-cost.ts';
import { createPassTimes } from './step/pass-times.ts';
import { createStepLoop } from './step/step-loop.ts';
import { measureThreads, type ThreadChoice } from './step/thread-count.ts';
import { warmUp } from './step/warm-up.ts';
import { atOnce, createTextPasses } from './text-passes.ts';
import { createWeigh } from './weigh.ts';

/** Opens llama.cpp's libraries for the CPU, so that a later load does not have to. Never rejects: the load says what is wrong. */
export async function openCpuLibraries({ stockKernels }: CpuLibraries, log: Log): Promise<void> {
  await openLibrary(false, log, stockKernels).catch(() => {});
}

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
  // While a context grows, it takes its memory twice.
  const grows = backend === 'cpu' && memory.needed <= memory.available / 2;
  const start = (model: LlamaModel, wanted: EngineOptions) => {
    const parts = { model, options: wanted, backend, log, vocabulary: createVocabulary(model) };
    return wanted.kind === 'chat' ? startChat(parts, grows, available, link) : startTexts(parts);
  };
  if (backend === 'gpu')
    return loadOnGpu(options, memory, log, ({ model, ...fitted }) => start(model, { ...options, ...fitted }));
  const model = await loadOnCpu(options, memory, log);
  try {
    return await start(model, options);
  } catch (error) {
    await model.close();
    throw error;
  }
}

/** The parts of every engine. */
interface EngineParts {
  model: LlamaModel;
  options: EngineOptions;
  backend: 'gpu' | 'cpu';
  log: Log;
  vocabulary: Vocabulary;
}

/** Makes the engine of a model that writes text. */
async function startChat(
  { model, options, backend, log, vocabulary }: EngineParts,
  grows: boolean,
  available: () => number,
  link: (CopyLink & CopyFigures) | undefined,
): Promise<LeavingEngine> {
  const projector = options.projector === undefined ? undefined : await loadProjector(model, options, backend);
  const wanted = projector?.needsWholePieces ? withBatchOf(options, MOST_TOKENS_TOGETHER) : options;
  const adapters = await loadAdapters(model, options.adapters ?? []);
  // Images can't be evaluated again as text can, so each conversation with them has the room for its whole window.
  const sized = projector ? { ...wanted, mostSlots: wanted.slots } : wanted;
  if (options.oneByOne) model.library.kernels.keepOrder?.();
  const growth = { grows, available };
  const replyThreads = () => driver.replyThreads;
  const mtp = await loadMtp(model, sized, growth, replyThreads, log);
  const drafter = mtp.drafter ?? (await loadEagle3(model, sized, growth, replyThreads, log));
  const context = await createGrowingContext(model, sized, grows, log, available, { gives: drafter?.parts });
  if (backend === 'gpu') log.debug('llama.cpp reserved memory', { ...model.library.takePlaces() });
  const times = createPassTimes(context.context.unified);
  const decoder = createDecoder(context, model, drafter);
  const { reason, ...counts } = await threadsFor(decoder, options, backend);
  const driver: Driver =
    backend === 'cpu'
      ? createDriver(decoder, counts, { governed: true, batchMs: times.of }, times)
      : createDriver(decoder, counts, { governed: false, batchMs: gpuCost }, times);
  if (backend === 'gpu') await warmUp(decoder, driver);
  await drafter?.warmUp();
  const copied = { ms: await measureCopy(decoder, counts.reply), room: decoder.room };
  const copyMs = () => (copied.ms * decoder.room) / copied.room;
  const costs = () => ({
    ...(driver.promptTokenMs === null ? UNKNOWN_COSTS : { tokenMs: driver.promptTokenMs, copyMs: copyMs() }),
    rowsMs: decoder.unified ? () => 0 : times.rows.of,
  });
  const { bytesPerToken = 0 } = link ?? {};
  const promptTokenMs = () => driver.promptTokenMs;
  const wholeOnly = !model.rewinds;
  const copies = link && createTieredCopies({ decoder, link, bytesPerToken, promptTokenMs, wholeOnly });
  const store = createPrefixStore(decoder, copies ?? NO_COPIES, wholeOnly, costs);
  const draft = await loadDraftModel(model, options, context.contextLength, replyThreads, log);
  const ahead = {
    times,
    records: createGuessRecords(),
    oneByOne: options.oneByOne ?? false,
    draft,
    head: drafter && { drafter, length: createDraftLength(times.lines) },
  };
  const idle = copies && createIdleCopies(copies, store.held);
  const loop = createStepLoop(driver, async () => (await decoder.expand()) || store.evict());
  const encodesAlone = backend === 'gpu';
  const parts = { model, adapters, decoder, vocabulary, loop, store, ahead, log };
  const generate = createGenerate({ ...parts, projector, encodesAlone });
  const weigh = createWeigh({ model, decoder, vocabulary, loop, store });
  const running = new Set<Promise<unknown>>();
  /** Notes the end of the work, and has `leave` wait for it. */
  const tracked = async <T>(work: T | Promise<T>): Promise<T> => {
    const ended = Promise.resolve(work);
    running.add(ended);
    try {
      return await ended;
    } finally {
      running.delete(ended);
      idle?.noteEnd();
    }
  };
  return {
    traits: traitsOf(model, vocabulary.controlTokens),
    info: {
      ...describe(model, options, backend),
      contextLength: context.contextLength,
      slots: decoder.sequences,
      cacheLength: decoder.cacheLength,
      threads: counts.reply,
      threadsReason: reason,
      ...(mtp.state !== undefined && { mtp: mtp.state }),
    },
    generate: (request, emit, signal) => tracked(generate(request, emit, signal)),
    async leave() {
      if (!idle) return;
      await idle.finish();
      // The server cancels its replies before it stops, and they end at the next step.
      await Promise.allSettled(running);
      await idle.finish();
    },
    ask: askFrom({ ...vocabulary.answers, weigh: (question, signal) => tracked(weigh(question, signal)) }),
    async [Symbol.asyncDispose]() {
      idle?.stop();
      drafter?.stop();
      await draft?.[Symbol.asyncDispose]();
      await model.close();
    },
  };
}

/** Has at least this many tokens computed at once. */
function withBatchOf(options: EngineOptions, least: number): EngineOptions {
  const { batchSize, microBatch = batchSize } = options;
  return { ...options, batchSize: Math.max(batchSize, least), microBatch: Math.max(microBatch, least) };
}

/** Loads the projector of a model that has one. */
function loadProjector(
  model: LlamaModel,
  { projector = '', threads }: EngineOptions,
  backend: 'gpu' | 'cpu',
): Promise<Projector> {
  return openProjector(model, { path: projector, threads: threads ?? usableCores().count, gpu: backend === 'gpu' });
}

/** Makes the engine of a model that turns texts into vectors or scores. */
async function startTexts({ model, options, backend, vocabulary }: EngineParts): Promise<LeavingEngine> {
  const info = describe(model, options, backend);
  const context = await createTextContext(model, options);
  const passes = backend === 'cpu' ? createTextPasses(info.threads) : atOnce(info.threads);
  const answers =
    options.kind === 'embedding'
      ? embeddingAnswers(context, model, vocabulary, passes)
      : rerankAnswers(context, model, passes);
  return {
    traits: traitsOf(model, vocabulary.controlTokens),
    info: { ...info, contextLength: context.textLength },
    generate: refuseGeneration,
    leave: async () => {},
    ask: askFrom({ ...vocabulary.answers, ...answers }),
    [Symbol.asyncDispose]: () => model.close(),
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

function describe(model: LlamaModel, options: EngineOptions, backend: 'gpu' | 'cpu'): EngineInfo {
  const { library } = model;
  const names = backend === 'gpu' ? listDevices(library).map(({ name }) => name) : [];
  return {
    backend,
    runtime: 'node-llama-cpp',
    device: backend === 'gpu' ? `${library.gpu}: ${names.join(', ')}` : 'cpu',
    contextLength: options.contextLength ?? chatLength(model),
    trainedContextLength: model.trainedContextLength,
    slots: 1,
    gpuLayers: model.gpuLayers,
    ...(backend === 'gpu' && options.cpuExperts !== undefined && { cpuExperts: options.cpuExperts }),
    kernels: library.kernels.description,
    threads: options.threads ?? usableCores().count,
  };
}

function traitsOf({ metadata, tokenizer }: LlamaModel, controlTokens: string[]): ModelTraits {
  const { marks, entryOf } = tokenizer;
  const textOf = (token: Token | null) => (token === null ? '' : entryOf(token));
  const [prefix, suffix, middle] = [marks.fimPrefix, marks.fimSuffix, marks.fimMiddle].map(textOf);
  const [repository, file] = [marks.fimRepository, marks.fimFile].map(textOf);
  return {
    chatTemplate: metadata('tokenizer.chat_template'),
    decisionTemplate: metadata('tokenizer.chat_template.systemone'),
    bos: textOf(marks.bos),
    eos: textOf(marks.eos),
    controlTokens,
    infill:
      prefix && suffix && middle
        ? { prefix, suffix, middle, ...(repository && { repository }), ...(file && { file }) }
        : null,
  };
}
