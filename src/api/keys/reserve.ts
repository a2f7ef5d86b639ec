import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { Prompt } from '../../contract/prompt.ts';
import type { Runner } from '../../contract/runner.ts';
import { sum } from '../../utils/sum.ts';
import { contextLengthOf } from '../models/model-object.ts';
import type { RequestRecord } from '../record.ts';

/** The prompt's tokens are counted by the engine, when the request runs. Before that, this is the mean length of a token. */
const CHARACTERS_OF_A_TOKEN = 3;
/** The tokens that a template writes around a message. */
const TOKENS_AROUND_A_MESSAGE = 4;

/**
 * Takes the tokens that a generation may need from the limit of the request's key: those of its prompt, estimated, and all that its
 * choices may have. Throws a 429 `ApiError` if the key has no tokens left.
 */
export function reserveGeneration(
  { pass }: Pick<RequestRecord, 'pass'>,
  { prompt, maxTokens, choices }: Pick<GenerationRequest, 'prompt' | 'maxTokens' | 'choices'>,
  model: ModelCard,
  runner: Runner,
): void {
  pass?.reserve(() => {
    const window = contextLengthOf(
      model,
      runner.loaded().find(({ id }) => id === model.id),
    );
    return promptTokens(prompt) + choices * Math.min(maxTokens ?? window, window);
  });
}

/** Takes the tokens of texts that a model only reads, estimated, from the limit of the request's key. Throws as above. */
export function reserveInputs({ pass }: Pick<RequestRecord, 'pass'>, inputs: readonly (string | number[])[]): void {
  pass?.reserve(() => sum(inputs.map((input) => (typeof input === 'string' ? textTokens(input) : input.length))));
}

function promptTokens(prompt: Prompt): number {
  switch (prompt.kind) {
    case 'chat': {
      const messages = prompt.messages.map(({ content }) => textTokens(content ?? '') + TOKENS_AROUND_A_MESSAGE);
      return sum(messages) + (prompt.tools.length > 0 ? textTokens(JSON.stringify(prompt.tools)) : 0);
    }
    case 'text':
      return textTokens(prompt.text);
    case 'tokens':
      return prompt.tokens.length;
    case 'infill':
      return sum([prompt.prefix, prompt.suffix, ...(prompt.files ?? []).map(({ text }) => text)].map(textTokens));
    case 'decision':
      return textTokens(JSON.stringify(prompt.values));
    default:
      return prompt satisfies never;
  }
}

function textTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_OF_A_TOKEN);
}
