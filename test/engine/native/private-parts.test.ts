import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { EngineOptions } from '../../../src/engine/engine.ts';
import {
  copyCache,
  createContext,
  createGrammarGate,
  createGrammarState,
  type LlamaContext,
  loadModel,
  type NativeModel,
  type Token,
  unloadModel,
} from '../../../src/engine/native/llama.ts';
import { createRankingPrompt } from '../../../src/engine/native/ranking-prompt.ts';
import { createSlots, type Slot } from '../../../src/engine/native/slot.ts';
import { writeRerankModel } from '../../fixtures/embedding-model.ts';
import { silentLog } from '../../support/log.ts';

// These tests cover what Paddock uses of node-llama-cpp although it is not promised. A test that fails here after an
// upgrade names the part that has changed; docs/upgrading-engines.md tells what the part is for.

const SLOTS = 8;

let folder: string;
let loaded: NativeModel;
let context: LlamaContext;
let slots: Slot[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-private-'));
  const options: EngineOptions = {
    files: [join(inject('modelsFolder'), 'tiny.gguf')],
    kind: 'chat',
    contextLength: 256,
    slots: SLOTS,
    threads: 1,
    batchSize: 64,
  };
  loaded = await loadModel(options, 'cpu', silentLog, { needed: 0, available: 0 });
  context = await createContext(loaded.model, options);
  slots = createSlots(context);
});
afterAll(async () => {
  await unloadModel(loaded);
  await rm(folder, { recursive: true });
});

function tokensOf(text: string): Token[] {
  return loaded.model.tokenize(text);
}

describe('node-llama-cpp', () => {
  it('hands llama.cpp a batch in the order of the slots, in whatever order the slots were stepped', async () => {
    const native = Reflect.get(context, '_ctx') as { addToBatch(sequence: number, ...rest: unknown[]): unknown };
    const added = vi.spyOn(native, 'addToBatch');
    await Promise.all(slots.toReversed().map((slot) => slot.evaluate(tokensOf('word'))));
    expect(added.mock.calls.map(([sequence]) => sequence)).toEqual(slots.map(({ index }) => index));
  });

  it("copies one sequence's KV cache into another", async () => {
    const [from, to] = slots as [Slot, Slot];
    const tokens = tokensOf('a beginning that two slots share');
    for (const { sequence } of [from, to]) await sequence.clearHistory();
    await from.evaluate(tokens);
    expect(await copyCache(from.sequence, to.sequence, tokens.length - 1)).toBe(true);
    expect(to.sequence.nextTokenIndex).toBe(tokens.length - 1);
    expect(to.sequence.compareContextTokens(tokens).firstDifferentIndex).toBe(tokens.length - 1);
  });

  it('says of a token whether a grammar allows it next', async () => {
    const gate = createGrammarGate(loaded.llama, await createGrammarState(loaded, 'root ::= "ab"'));
    const [a, b] = [...tokensOf('a'), ...tokensOf('b')] as [Token, Token];
    expect([gate.allows(a), gate.allows(b)]).toEqual([true, false]);
    gate.accept(a);
    expect([gate.allows(a), gate.allows(b)]).toEqual([false, true]);
  });

  it('keeps those fields of a header that its types leave out', async () => {
    const modelPath = join(folder, 'separated.gguf');
    writeRerankModel(modelPath, { separator: true });
    const model = await loaded.llama.loadModel({ modelPath });
    const prompt = createRankingPrompt(model)('query', 'document');
    expect(model.tokens.sep).not.toBeNull();
    expect(prompt).toContain(model.tokens.sep);
    await model.dispose();
  });
});
