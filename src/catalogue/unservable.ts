import type { Fields } from '../gguf/fields.ts';

const DIFFUSION =
  'a diffusion model, which fills in all of its text at once; only models that write token by token run here';

/** Architectures that can not be served, each with what such a model is. */
const UNSERVABLE: Record<string, string> = {
  dream: DIFFUSION,
  eagle3: 'a draft model, which guesses for another model alone',
  llada: DIFFUSION,
  'llada-moe': DIFFUSION,
  rnd1: DIFFUSION,
  t5: 'an encoder with a decoder; only decoders run here, and encoders alone',
  'wavtokenizer-dec': 'a decoder of audio, which writes no text',
  whisper: 'a model for transcribing speech, which llama.cpp can not run',
};

/** Types of decision models with an output layer of their own, which llama.cpp v0.5.0 can not run. */
const HEADED_DECISIONS = ['kev', 'laya', 'clef', 'd1-omni', 'lfm2-d1-omni'];

/** Returns what a model is and why it can not be served, as in "it is a ..."; undefined if it can be. */
export function whyUnservable(architecture: string, fields: Fields): string | undefined {
  const reason = UNSERVABLE[architecture];
  if (reason !== undefined) return `it is ${reason} (${architecture})`;
  const decision = decisionType(architecture, fields);
  if (decision === undefined || !HEADED_DECISIONS.includes(decision)) return undefined;
  return `it is a decision model with an output layer of its own, which llama.cpp can not run (${decision})`;
}

/** Returns the type of a decision model; undefined for another model. */
export function decisionType(architecture: string, fields: Fields): string | undefined {
  return fields.text(`${architecture}.decision.type`);
}
