import type { CallContext } from './call-context.ts';
import type { GenerationEvent } from './events.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { QuestionKind, Questions } from './questions.ts';
import type { LoadedModel, MemoryForModels, MovingModel, Residency } from './residency.ts';

/** Runs inference on many models, each named by its id. The API reaches models only through it. */
export interface Runner {
  /**
   * Runs one generation on a model and loads the model first if needed. Ending the iteration early, or an abort,
   * cancels the generation. The iteration throws an `ApiError` for errors that clients may read, such as a full queue
   * or a parameter that the engine does not support.
   */
  generate(modelId: string, request: GenerationRequest, context: CallContext): AsyncIterable<GenerationEvent>;

  /**
   * Asks a model a question and loads the model first if needed. Throws as `generate` does, and a 400 `ApiError` if the
   * model can't answer.
   */
  ask<K extends QuestionKind>(
    modelId: string,
    kind: K,
    question: Questions[K]['question'],
    context: CallContext,
  ): Promise<Questions[K]['answer']>;

  /** Loads and unloads models without a request to them. Absent if this platform can't. */
  residency?: Residency;

  /** The models that are loaded now. */
  loaded(): LoadedModel[];

  /** The models that wait to be loaded, are being loaded or are being unloaded. */
  moving(): MovingModel[];

  /** Returns the memory for models. Absent if the platform does not know it. */
  memory?(): MemoryForModels;
}
