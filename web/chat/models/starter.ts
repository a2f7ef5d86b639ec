import type { StarterKind } from '../../../src/contract/models/starter.ts';

/** A starter model, as GET /v1/starters lists it. Sizes are in bytes. */
export interface OfferedStarter {
  name: string;
  title: string;
  kind: StarterKind;
  licence: string;
  source: string;
  size: number;
  size_is_exact: boolean;
  memory: number;
  fit: 'fits' | 'full' | 'too_large' | 'unknown';
  tokens_per_second: { low: number; high: number } | null;
  best: boolean;
  /** True if the model is in the catalogue. */
  pulled: boolean;
}

/** Returns the starter models that fit this machine. */
export function fittingStarters(starters: OfferedStarter[]): OfferedStarter[] {
  return starters.filter(({ fit }) => fit !== 'too_large');
}

/** The number of models in the greeting. */
const GREETED = 3;

/** Returns the chat models for the greeting: the recommended one, then the largest of the others that fit. */
export function greetedStarters(starters: OfferedStarter[]): OfferedStarter[] {
  const chats = fittingStarters(starters).filter(({ kind, pulled }) => kind === 'chat' && !pulled);
  const [best, ...others] = chats;
  if (!best?.best) return [];
  const smaller = others.filter(({ memory }) => memory <= best.memory).sort((one, other) => other.memory - one.memory);
  return [best, ...smaller].slice(0, GREETED);
}
