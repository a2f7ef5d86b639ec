import { invalidRequest } from '../../../contract/errors.ts';
import { createCandidates, type NativeCandidates } from './candidates.ts';
import type { LlamaModel } from './model.ts';
import type { Token } from './tokens/token.ts';

/** How far one reply has come in its grammar, in llama.cpp. */
export interface GrammarGate {
  /** Returns true if this token may come next. */
  allows(token: Token): boolean;
  /** Moves on by a token of the reply. Does nothing if the grammar does not allow it. */
  accept(token: Token): void;
  /** Sets the logits of all candidates that may not come next to minus infinity. Does not move on. */
  mask(candidates: NativeCandidates): Promise<void>;
  /** Frees the state. Nothing else may be under way. */
  close(): void;
}

/** Compiles a GBNF grammar for one reply. Throws a 400 `ApiError` if llama.cpp does not accept it. */
export function createGrammarGate(model: LlamaModel, grammar: string): GrammarGate {
  const { llama } = model.library;
  const sampler = llama.llama_sampler_init_grammar(llama.llama_model_get_vocab(model.handle), grammar, 'root');
  if (!sampler)
    throw invalidRequest('The schema makes a grammar that llama.cpp does not take.', null, 'unsupported_schema');
  const single = createCandidates(1);
  const allows = (token: Token) => {
    single.fill([token], [1]);
    llama.llama_sampler_apply(sampler, single.address);
    return single.logitAt(0) !== Number.NEGATIVE_INFINITY;
  };
  return {
    allows,
    accept(token) {
      // llama.cpp ends the process if it is to accept a token that the grammar forbids.
      if (allows(token)) llama.llama_sampler_accept(sampler, token);
    },
    mask: (candidates) => llama.llama_sampler_apply.async(sampler, candidates.address),
    close: () => llama.llama_sampler_free(sampler),
  };
}
