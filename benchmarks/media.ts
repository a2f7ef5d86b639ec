import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MEDIA_MARK } from '../src/contract/media.ts';
import { createChatService } from '../src/engine/chat-service.ts';
import type { TextEngine } from '../src/engine/engine.ts';
import { loadWasmEngine } from '../src/engine/wasm/node/load.ts';
import { ask, chat, doneOf, generate } from '../test/kit/generation.ts';
import { plainPng } from '../test/kit/media.ts';
import { writeTinyModel } from '../test/kit/models/tiny-model.ts';
import { writeVisionProjector } from '../test/kit/models/tiny-projector.ts';
import { median } from './statistics.ts';

/**
 * Measures how fast WebAssembly encodes images. The projector has the size of CLIP's ViT-B/16, with 196 tokens for an
 * image; the text model is too small to matter. Each round asks about a new image, then asks about it again.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, threads: { type: 'string', default: '1,2' } },
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

async function measure(files: string[], projector: string, threads: number): Promise<string> {
  const load = { kind: 'chat' as const, contextLength: 1024, slots: 1, batchSize: 32 };
  await using engine = await loadWasmEngine({ ...load, files, projector, threads }, silent);
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
  writeTinyModel(model);
  writeVisionProjector(projector, { size: 'base' });
  process.stdout.write(
    `Node ${process.versions.node}, ${cpus()[0]?.model.trim()}, ${rounds} rounds, medians\n\n` +
      '| threads | tokens read | ms to the first token | tokens/s | ms for the same image again |\n|---|---|---|---|---|\n',
  );
  for (const threads of values.threads.split(',').map(Number)) {
    process.stdout.write(await measure([model], projector, threads));
  }
} finally {
  rmSync(folder, { recursive: true });
}
