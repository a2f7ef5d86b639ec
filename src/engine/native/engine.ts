import { createChatTemplate } from '../../core/chat/template.ts';
import { unsupportedParameter } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { EngineInfo, GenerationRequest, Sampling } from '../../core/runner.ts';
import type { Engine, EngineOptions } from '../engine.ts';
import { refuseUnknownTokens } from '../logit-bias.ts';
import { createGeneration } from './generation.ts';
import { type LlamaModel, type Loaded, loadModel, type Token } from './llama.ts';
import { chooseSlot, createSlots, prepareSlot, type Slot } from './slot.ts';
import { createStepLoop } from './step-loop.ts';

/** Loads a model into llama.cpp's native build. Throws a plain error with the reason when that can't be done here. */
export async function loadNativeEngine(options: EngineOptions, backend: 'gpu' | 'cpu', log: Log): Promise<Engine> {
  const loaded = await loadModel(options, backend, log);
  const { llama, model, context } = loaded;
  const metadata = model.fileInfo.metadata;
  const template = createChatTemplate(metadata.tokenizer?.chat_template, {
    bos: model.tokens.bosString ?? '',
    eos: model.tokens.eosString ?? '',
  });
  const slots = createSlots(context);
  const loop = createStepLoop(context.batchSize);
  const vocabularySize = metadata.tokenizer.ggml.tokens.length;

  return {
    info: await describe(loaded, backend),

    async generate(request, emit, signal) {
      refuseUnsupported(request.sampling);
      refuseUnknownTokens(request.sampling, vocabularySize);
      const prompt = tokenize(model, template(request.messages, request.templateKwargs));
      if (prompt.length >= context.contextSize) {
        emit({ kind: 'overflow', promptTokens: prompt.length, contextLength: context.contextSize });
        return;
      }
      const slot = takeSlot(slots, prompt, request);
      try {
        const cached = await prepareSlot(slot, prompt, request.cachePrompt);
        await new Promise<void>((resolve, reject) => {
          const onFinished = (error?: unknown) => (error === undefined ? resolve() : reject(error));
          loop.add(createGeneration({ model, slot, request, prompt, cached, emit, signal, onFinished }));
        });
      } finally {
        slot.busy = false;
      }
    },

    [Symbol.asyncDispose]: () => llama.dispose(),
  };
}

async function describe({ llama, model, context }: Loaded, backend: 'gpu' | 'cpu'): Promise<EngineInfo> {
  const devices = backend === 'gpu' ? await llama.getGpuDeviceNames() : [];
  return {
    backend,
    device: backend === 'gpu' ? `${llama.gpu}: ${devices.join(', ')}` : 'cpu',
    contextLength: context.contextSize,
    trainedContextLength: model.trainContextSize,
    slots: context.totalSequences,
    gpuLayers: model.gpuLayers,
    threads: context.idealThreads,
  };
}

function tokenize(model: LlamaModel, text: string): Token[] {
  const tokens = model.tokenize(text, true);
  const { bos } = model.tokens;
  const lacksBos = model.tokens.shouldPrependBosToken && bos !== null && tokens[0] !== bos;
  return lacksBos ? [bos, ...tokens] : tokens;
}

function takeSlot(slots: Slot[], prompt: Token[], { cachePrompt }: GenerationRequest): Slot {
  const index = chooseSlot(
    slots.map(({ busy, usedAt, sequence }) => ({
      busy,
      usedAt,
      cached: sequence.nextTokenIndex,
      shared: cachePrompt ? sequence.compareContextTokens(prompt).firstDifferentIndex : 0,
    })),
  );
  const slot = index === undefined ? undefined : slots[index];
  if (!slot) throw new Error('a generation was started while all slots were busy');
  slot.busy = true;
  slot.usedAt = performance.now();
  return slot;
}

/** What node-llama-cpp has no sampler for must be refused, not ignored. */
function refuseUnsupported(sampling: Sampling): void {
  const asked: [param: string, asked: boolean][] = [
    ['mirostat', sampling.mirostat !== 0],
    ['typical_p', sampling.typicalP !== 1],
    ['dynatemp_range', sampling.dynatempRange !== 0],
  ];
  for (const [param, isAsked] of asked) {
    if (isAsked) throw unsupportedParameter(param, `${param} is not supported yet by the native engine.`);
  }
}
