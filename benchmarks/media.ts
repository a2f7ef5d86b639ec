import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MEDIA_MARK } from '../src/contract/media.ts';
import { DEFAULT_BATCH } from '../src/engine/batch-size.ts';
import { createChatService } from '../src/engine/chat-service.ts';
import type { TextEngine } from '../src/engine/engine.ts';
import { loadNativeEngine } from '../src/engine/native/engine.ts';
import { loadWasmEngine } from '../src/engine/wasm/node/load.ts';
import { plainPng } from '../test/kit/files/media.ts';
import { ask, chat, doneOf, generate } from '../test/kit/generation.ts';
import { writeModel, writeTinyModel } from '../test/kit/models/tiny-model.ts';
import { writeVisionProjector } from '../test/kit/models/tiny-projector.ts';
import { median } from './statistics.ts';

/**
 * Measures how fast the native engine and WebAssembly read images. The projector has the size of CLIP's ViT-B/16, with
 * 196 tokens for an image. Each round asks about a new image, then asks about it again.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    threads: { type: 'string', default: '1,2' },
    engines: { type: 'string', default: 'native,wasm' },
    /** `tiny` is too small to matter beside the projector. */
    model: { type: 'string', default: 'tiny' },
  },
});
const rounds = Number(values.rounds);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

interface Round {
  /** Time from the acceptance of the request to the first token of the reply. */
  ms: number;
  tokens: number;
  cached: number;
}

async function look(engine: TextEngine, shade: number, question: string): Promise<Round> {
  const message = {
    role: 'user' as const,
    content: MEDIA_MARK + question,
    media: [{ kind: 'image' as const, bytes: plainPng([shade, 99, 99], 224) }],
  };
  const request = ask('', { prompt: chat([message]), maxTokens: 1, cachePrompt: true });
  const started = performance.now();
  const { promptTokens, cachedTokens } = doneOf(await generate(createChatService(engine), request));
  return { ms: performance.now() - started, tokens: promptTokens - cachedTokens, cached: cachedTokens };
}

/** Loads the model with the settings that Paddock gives each engine. */
function load(engine: string, files: string[], projector: string, threads: number): Promise<TextEngine> {
  const common = { kind: 'chat' as const, contextLength: 1024, slots: 1, files, projector, threads };
  return engine === 'native'
    ? loadNativeEngine({ ...common, batchSize: DEFAULT_BATCH }, 'cpu', silent)
    : loadWasmEngine({ ...common, batchSize: 32 }, silent);
}

async function measure(name: string, files: string[], projector: string, threads: number): Promise<string> {
  await using engine = await load(name, files, projector, threads);
  await look(engine, 255, 'a');
  const first: Round[] = [];
  const again: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    first.push(await look(engine, round, 'a'));
    again.push(await look(engine, round, 'b'));
  }
  const ms = median(first.map((each) => each.ms));
  const rate = median(first.map((each) => (1000 * each.tokens) / each.ms));
  const cells = [
    name,
    threads,
    first[0]?.tokens,
    ms.toFixed(0),
    rate.toFixed(1),
    median(again.map((each) => each.ms)).toFixed(0),
  ];
  return `| ${cells.join(' | ')} |\n`;
}

const folder = mkdtempSync(join(tmpdir(), 'paddock-media-'));
try {
  const model = join(folder, 'model.gguf');
  const projector = join(folder, 'projector.gguf');
  if (values.model === 'tiny') writeTinyModel(model);
  else writeModel(model, 'half-billion', { quantization: 'Q4_K' });
  writeVisionProjector(projector, { size: 'base', ...(values.model !== 'tiny' && { embeddingLength: 896 }) });
  process.stdout.write(
    `Node ${process.versions.node}, ${cpus()[0]?.model.trim()}, ${rounds} rounds, medians\n\n` +
      '| engine | threads | tokens read | ms to the first token | tokens/s | ms for the same image again |\n' +
      '|---|---|---|---|---|---|\n',
  );
  for (const engine of values.engines.split(',')) {
    for (const threads of values.threads.split(',').map(Number)) {
      process.stdout.write(await measure(engine, [model], projector, threads));
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
