import { afterAll, beforeAll, describe, it } from 'vitest';
import { audioCases } from './cases/audio.ts';
import { cancellationCases } from './cases/cancellation.ts';
import { chatCases } from './cases/chat.ts';
import { choiceCases } from './cases/choices.ts';
import { clientCases } from './cases/clients.ts';
import { completionCases } from './cases/completions.ts';
import { decisionCases } from './cases/decisions.ts';
import { embeddingCases } from './cases/embeddings.ts';
import { errorCases } from './cases/errors.ts';
import { httpCases } from './cases/http.ts';
import { mediaCases } from './cases/media.ts';
import { messageCases } from './cases/messages.ts';
import { modelCases } from './cases/models.ts';
import { ollamaCases } from './cases/ollama.ts';
import { rerankCases } from './cases/rerank.ts';
import { responseCases } from './cases/responses.ts';
import { samplingCases } from './cases/sampling.ts';
import { streamCases } from './cases/stream.ts';
import { tokenCases } from './cases/tokens.ts';
import { toolCases } from './cases/tools.ts';
import type { Target } from './target.ts';

/** One promise of the API, and a check of it that uses nothing but HTTP. */
export interface ContractCase {
  name: string;
  /**
   * Whether src/api decides it, which is the same code on every target, and neither the engine nor what carries requests and replies.
   * The regular run has it on the native server only.
   */
  byApiAlone?: true;
  check: (target: Target) => Promise<void>;
}

/** Cases by section. */
export type Contract = Record<string, ContractCase[]>;

/** In ms. Some cases try a hundred seeds, and the machine may be busy with other work. */
const TIME_LIMIT_MS = 240_000;

/** The whole contract, by section. */
export const CONTRACT: Contract = {
  models: modelCases,
  'chat completions': chatCases,
  streams: streamCases,
  sampling: samplingCases,
  'tools and structured output': toolCases,
  'choices and logprobs': choiceCases,
  'completions and filters': completionCases,
  "messages, in Anthropic's form": messageCases,
  'fields and paths of other clients': clientCases,
  decisions: decisionCases,
  tokens: tokenCases,
  responses: responseCases,
  embeddings: embeddingCases,
  'ranking, by models like those of embeddings': rerankCases,
  'images and audio, as media': mediaCases,
  'transcripts of recordings': audioCases,
  'the API of Ollama': ollamaCases,
  'errors and limits': errorCases,
  cancellation: cancellationCases,
  'HTTP, keys and CORS': httpCases,
};

/** Returns these sections of the contract. */
export function contractIn(sections: string[]): Contract {
  return Object.fromEntries(sections.map((section) => [section, CONTRACT[section] ?? []]));
}

/**
 * Runs the contract suite against a target. `start` is called before it, `stop` after it. `impossible` names the cases that this
 * kind of target can't pass, each with the reason. `contract` has the cases to run: by default all.
 */
export function describeContract(
  name: string,
  start: () => Promise<Target>,
  stop: () => Promise<void>,
  impossible: Record<string, string> = {},
  contract: Contract = CONTRACT,
): void {
  describe(`the API contract on ${name}`, () => {
    let target: Target;
    beforeAll(async () => {
      target = await start();
    });
    afterAll(stop);

    for (const [section, cases] of Object.entries(contract)) {
      describe(section, () => {
        for (const { name: promise, check } of cases) {
          const reason = impossible[promise];
          if (reason === undefined) it(promise, () => check(target), TIME_LIMIT_MS);
          else it.skip(`${promise} (${reason})`);
        }
      });
    }
  });
}
