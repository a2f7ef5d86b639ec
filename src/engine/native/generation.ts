import { createDetokenizer } from '../../core/chat/detokenizer.ts';
import { createStopFilter } from '../../core/chat/stop-sequences.ts';
import type { FinishReason } from '../../core/events.ts';
import type { Emit, GenerationRequest } from '../../core/runner.ts';
import { type LlamaModel, slotPriority, type Token, toEvaluateOptions } from './llama.ts';
import type { Slot } from './slot.ts';
import type { Steppable } from './step-loop.ts';

export interface GenerationOptions {
  model: LlamaModel;
  slot: Slot;
  request: GenerationRequest;
  prompt: Token[];
  /** Prompt tokens that the slot's KV cache holds already. */
  cached: number;
  emit: Emit;
  signal: AbortSignal;
  /** Called once, when the slot is free again; with an error if that ended it. */
  onFinished: (error?: unknown) => void;
}

/** One generation on one slot: prefill in chunks, then a token a step until something ends it. */
export function createGeneration(options: GenerationOptions): Steppable {
  const { model, slot, request, prompt, cached, emit, signal, onFinished } = options;
  const { sequence } = slot;
  const history = [...prompt];
  const detokenizer = createDetokenizer((tokens, before) =>
    model.detokenize(tokens as Token[], false, before as Token[]),
  );
  const stops = createStopFilter(request.stop);
  const evaluationPriority = slotPriority(slot.index);
  const evaluateOptions = {
    ...toEvaluateOptions(request.sampling, model, sequence.contextSize, (count) => history.slice(-count)),
    evaluationPriority,
  };
  const startedAt = performance.now();
  let firstTokenAt = startedAt;
  let evaluated = cached;
  let generated = 0;
  let finished = false;
  let tokens: AsyncGenerator<Token> | undefined;

  const reportProgress = () =>
    emit({
      kind: 'progress',
      cache: cached,
      processed: evaluated,
      total: prompt.length,
      timeMs: performance.now() - startedAt,
    });

  const release = async (error?: unknown) => {
    finished = true;
    await tokens?.return(undefined);
    onFinished(error);
  };

  const finish = async (reason: FinishReason) => {
    const rest = stops.flush();
    if (rest !== '') emit({ kind: 'text', choice: 0, text: rest });
    emit({ kind: 'finish', choice: 0, reason });
    emit({
      kind: 'done',
      promptTokens: prompt.length,
      cachedTokens: cached,
      completionTokens: generated,
      promptMs: firstTokenAt - startedAt,
      predictedMs: performance.now() - firstTokenAt,
    });
    await release();
  };

  /** Evaluates the next chunk of the prompt; its last chunk gives the first token. */
  const prefill = async (count: number): Promise<IteratorResult<Token> | undefined> => {
    const chunk = prompt.slice(evaluated, evaluated + count);
    const last = evaluated + chunk.length === prompt.length;
    let first: IteratorResult<Token> | undefined;
    if (last) {
      tokens = sequence.evaluate(chunk, evaluateOptions);
      first = await tokens.next();
      firstTokenAt = performance.now();
    } else {
      await sequence.evaluateWithoutGeneratingNewTokens(chunk, { evaluationPriority });
    }
    evaluated += chunk.length;
    reportProgress();
    return first;
  };

  const accept = async ({ value: token, done }: IteratorResult<Token>) => {
    if (done) return finish('stop');
    generated += 1;
    history.push(token);
    const text = stops.push(detokenizer.push(token));
    if (text !== '') emit({ kind: 'text', choice: 0, text });
    if (stops.stopped) return finish('stop');
    // The token itself still needs a place in the context before another can follow it.
    const contextFull = sequence.nextTokenIndex >= sequence.contextSize - 1;
    if (generated === request.maxTokens || contextFull) return finish('length');
  };

  reportProgress();
  return {
    get pendingPrompt() {
      return prompt.length - evaluated;
    },
    get finished() {
      return finished;
    },
    async step(promptTokens) {
      try {
        if (signal.aborted) return await release();
        if (!tokens && promptTokens === 0) return;
        const result = tokens ? await tokens.next() : await prefill(promptTokens);
        if (result && !signal.aborted) await accept(result);
      } catch (error) {
        await release(error);
      }
    },
  };
}
