import { join } from 'node:path';
import {
  getLlama,
  type Llama,
  type LlamaContext,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReplyDelta } from '../../../src/chat/formats/format.ts';
import { formatOf } from '../../../src/chat/formats/index.ts';
import { createPreparer } from '../../../src/chat/prepare.ts';
import { checkValue } from '../../../src/grammar/check/check.ts';
import { ask, chat } from '../../kit/generation.ts';
import { sample } from '../../support/repeats.ts';
import { traits } from '../fixtures.ts';
import { noBundle, readBundle } from './bundle.ts';

const PARAMETERS = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 1, maxLength: 8 },
    days: { type: 'integer', minimum: 1, maximum: 30 },
    unit: { enum: ['C', 'F'] },
  },
  required: ['city', 'days'],
  additionalProperties: false,
};
const TOOLS = [{ name: 'get_weather', parameters: PARAMETERS }];
const MOST_TOKENS = 600;

describe.skipIf(noBundle)(`forced calls by random weights${noBundle ? ` (skipped: ${noBundle})` : ''}`, () => {
  let llama: Llama;
  let model: LlamaModel;
  let context: LlamaContext;
  beforeAll(async () => {
    llama = await getLlama({ build: 'never', gpu: false, maxThreads: 1, progressLogs: false });
    model = await llama.loadModel({ modelPath: join(inject('modelsFolder'), 'tiny.gguf') });
    context = await model.createContext({ contextSize: 1024, threads: 1 });
  }, 60_000);
  afterAll(async () => {
    await model?.dispose();
    await llama?.dispose();
  });

  /** Returns what the model writes under a grammar until it ends its turn. */
  const generate = async (grammarText: string, seed: number): Promise<string> => {
    const grammar = await llama.createGrammar({ grammar: grammarText });
    const grammarEvaluationState = new LlamaGrammarEvaluationState({ model, grammar });
    const sequence = context.getSequence();
    const tokens: Token[] = [];
    try {
      for await (const token of sequence.evaluate(model.tokenize('hi'), {
        temperature: 1,
        seed,
        grammarEvaluationState,
      })) {
        tokens.push(token);
        if (tokens.length > MOST_TOKENS) throw new Error(`No end after ${model.detokenize(tokens)}`);
      }
    } finally {
      sequence.dispose();
    }
    return model.detokenize(tokens);
  };

  it('are valid for the template of each family, and its parser of free replies reads them too', async () => {
    const wrong: object[] = [];
    const { templates } = readBundle();
    for (const [index, [name, source]] of sample([...templates], 4).entries()) {
      const question = [{ role: 'user' as const, content: 'Hello' }];
      const prompt = chat(question, { tools: TOOLS, toolChoice: 'required', parallelToolCalls: false });
      const { grammar, format: plan, parser } = createPreparer(traits(source))(ask('', { prompt }));
      if (!plan || !parser || grammar === null) throw new Error(`${name}: nothing is forced`);
      const text = await generate(grammar, index);
      const { calls, others } = readCalls(plan, parser, text);
      const free = readCalls(plan, { tools: TOOLS, startsInReasoning: false }, text);
      const isValid =
        calls.length === 1 &&
        others === '' &&
        calls.every((json) => checkValue(PARAMETERS, JSON.parse(json)).length === 0);
      if (!isValid || free.calls.length !== 1) wrong.push({ name, text, calls, others, free });
    }
    expect(templates.size).toBeGreaterThan(60);
    expect(wrong).toEqual([]);
  }, 240_000);
});

type FormatPlanOf = Parameters<typeof formatOf>[0];
type Options = Parameters<ReturnType<typeof formatOf>['createParser']>[0];

function readCalls(plan: FormatPlanOf, options: Options, text: string): { calls: string[]; others: string } {
  const parser = formatOf(plan).createParser(options);
  const deltas: ReplyDelta[] = [...parser.push(text), ...parser.finish()];
  const calls: string[] = [];
  let others = '';
  for (const delta of deltas) {
    if (delta.kind === 'toolCall') calls.push('');
    else if (delta.kind === 'toolArguments') calls[calls.length - 1] += delta.text;
    else others += delta.text;
  }
  return { calls, others };
}
