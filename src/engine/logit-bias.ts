import { invalidRequest } from '../contract/errors.ts';
import type { Sampling } from '../contract/sampling.ts';

/** Throws a 400 `ApiError` if a bias is on a token that the model does not have. */
export function refuseUnknownTokens({ logitBias }: Sampling, vocabularySize: number): void {
  const unknown = logitBias.find(([token]) => token >= vocabularySize);
  if (!unknown) return;
  throw invalidRequest(
    `logit_bias names token ${unknown[0]}, but the model's vocabulary ends at ${vocabularySize - 1}.`,
    'logit_bias',
  );
}
