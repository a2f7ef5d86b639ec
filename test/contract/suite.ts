import { afterAll, beforeAll, describe, it } from 'vitest';
import { cancellationCases } from './cancellation.ts';
import { chatCases } from './chat.ts';
import { errorCases } from './errors.ts';
import { httpCases } from './http.ts';
import { modelCases } from './models.ts';
import { samplingCases } from './sampling.ts';
import { streamCases } from './stream.ts';
import type { Target } from './target.ts';

/** One promise of the API and how to check it, over HTTP alone. */
export interface ContractCase {
  name: string;
  check: (target: Target) => Promise<void>;
}

const CONTRACT: Record<string, ContractCase[]> = {
  models: modelCases,
  'chat completions': chatCases,
  streams: streamCases,
  sampling: samplingCases,
  'errors and limits': errorCases,
  cancellation: cancellationCases,
  'HTTP, keys and CORS': httpCases,
};

/** Holds a target to the whole contract. `start` and `stop` run once around it. */
export function describeContract(name: string, start: () => Promise<Target>, stop: () => Promise<void>): void {
  describe(`the API contract on ${name}`, () => {
    let target: Target;
    beforeAll(async () => {
      target = await start();
    });
    afterAll(stop);

    for (const [section, cases] of Object.entries(CONTRACT)) {
      describe(section, () => {
        for (const { name: promise, check } of cases) it(promise, () => check(target));
      });
    }
  });
}
