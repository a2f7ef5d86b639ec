import type { Log } from '../../../contract/log.ts';
import { messageOf } from '../../../utils/error-message.ts';
import { createTurns } from '../../../utils/turns.ts';
import type { EngineOptions } from '../../engine.ts';
import { createDecoder, type Decoder } from '../llama/decoder.ts';
import { createGrowingContext } from '../llama/growing-context.ts';
import { type LlamaModel, openModel } from '../llama/model.ts';
import type { Token } from '../llama/tokens/token.ts';
import { entriesOf } from '../llama/tokens/tokenizer.ts';

/** A small model that guesses the next tokens of a larger model's reply. */
export interface DraftModel extends AsyncDisposable {
  /** The average time of one guessed token, in ms; null before that was measured. */
  readonly tokenMs: number | null;
  /**
   * Returns the next `count` tokens of a text as the small model would write it. Returns none while it has to read more
   * than one batch of the text: each call reads only one batch, because other replies wait for it. Throws if a forward
   * pass fails.
   */
  guess(history: readonly Token[], count: number): Promise<Token[]>;
}

/**
 * The vocabularies of one family are padded to different lengths. One may have up to this many tokens more than the
 * other.
 */
const MOST_PADDING = 256;
/** The share of the newest measurement in an average. */
const NEWEST = 0.2;

/**
 * Loads the draft model of `main`, whose sequences hold `contextLength` tokens. Resolves to undefined if there is none.
 * If there is one that cannot be used, logs the reason and resolves to undefined as well: replies are the same without
 * it. Never rejects.
 *
 * @param threads returns the number of threads to compute with
 */
export async function loadDraftModel(
  main: LlamaModel,
  options: EngineOptions,
  contextLength: number,
  threads: () => number,
  log: Log,
): Promise<DraftModel | undefined> {
  const { draft: modelPath } = options;
  if (modelPath === undefined) return undefined;
  let model: LlamaModel | null = null;
  try {
    model = await openModel(main.library, modelPath, main.gpuLayers === 0 ? { n_gpu_layers: 0 } : {});
    if (!model) throw new Error(`llama.cpp could not load it: ${main.library.takeError()}`);
    if (!haveSameTokens(entriesOf(model.tokenizer), entriesOf(main.tokenizer)))
      throw new Error('its vocabulary is another one');
    if (!model.rewinds) throw new Error('it can not take back what it has read');
    const length = Math.min(contextLength, model.trainedContextLength);
    const context = await createGrowingContext(model, { ...options, slots: 1, contextLength: length }, false, log);
    log.info('draft model loaded', { file: model.file });
    return createDraftModel({
      decoder: createDecoder(context, { window: null, rewinds: true, recurs: false }),
      draft: model,
      vocabularySize: main.tokenizer.size,
      threads,
    });
  } catch (error) {
    await model?.close();
    log.warn('draft model not used', { reason: messageOf(error) });
    return undefined;
  }
}

/** True if a token has the same text in both, except for padding at the end of one. */
export function haveSameTokens(one: readonly string[], other: readonly string[]): boolean {
  if (Math.abs(one.length - other.length) > MOST_PADDING) return false;
  const common = Math.min(one.length, other.length);
  return one.slice(0, common).every((text, token) => text === other[token]);
}

interface DraftModelOptions {
  decoder: Decoder;
  /** The loaded model. Disposing the `DraftModel` disposes it, too. */
  draft: LlamaModel;
  /** The number of tokens that the large model knows. */
  vocabularySize: number;
  threads: () => number;
}

function createDraftModel({ decoder, draft, vocabularySize, threads }: DraftModelOptions): DraftModel {
  const inTurn = createTurns();
  /** The tokens that its sequence holds. */
  let held: Token[] = [];
  let tokenMs: number | null = null;

  /** Evaluates tokens after the held ones, and returns the model's next token. */
  const read = async (tokens: Token[]): Promise<Token> => {
    const part = { sequence: 0, at: held.length, tokens, logitsAt: [tokens.length - 1], highest: 1 };
    const [[place = 0] = []] = await decoder.decode([part], threads());
    held.push(...tokens);
    const [token] = decoder.highestAt(place, 1).tokens;
    if (token === undefined) throw new Error('the draft model gives no token');
    return token;
  };
  /** Drops the held tokens that differ from the text, and its last token, which is evaluated again for its logits. */
  const goBackTo = async (history: readonly Token[]) => {
    const differs = held.findIndex((token, index) => token !== history[index]);
    const length = Math.min(differs === -1 ? held.length : differs, history.length - 1);
    if (length === held.length) return;
    held = held.slice(0, await decoder.truncate(0, length));
  };

  const guess = async (history: readonly Token[], count: number): Promise<Token[]> => {
    if (history.length + count > decoder.contextLength) return [];
    await goBackTo(history);
    const unread = history.slice(held.length);
    if (unread.length > decoder.batchSize) {
      await read(unread.slice(0, decoder.batchSize));
      return [];
    }
    const guessed: Token[] = [];
    let since = 0;
    for (let token = await read(unread); token < vocabularySize; token = await read([token])) {
      since ||= performance.now();
      guessed.push(token);
      if (guessed.length === count) break;
    }
    if (guessed.length > 1) {
      const newest = (performance.now() - since) / (guessed.length - 1);
      tokenMs = tokenMs === null ? newest : tokenMs + NEWEST * (newest - tokenMs);
    }
    return guessed;
  };

  return {
    get tokenMs() {
      return tokenMs;
    },
    guess: (history, count) => inTurn(() => guess(history, count)),
    async [Symbol.asyncDispose]() {
      await draft.close();
    },
  };
}
