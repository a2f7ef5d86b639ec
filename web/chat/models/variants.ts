import type { Variant } from '../../../src/contract/models/finder.ts';
import type { Health } from '../page/health.ts';

/** A repository of the hub, as POST /v1/models/search returns it. */
export interface HubRepository {
  /** `org/name`. */
  id: string;
  downloads: number;
  gated: boolean;
}

/** The variants at a source, as POST /v1/models/variants returns them. */
export interface VariantList {
  origin: string;
  /** The source of the variant that was named or that is the usual choice; null if there is none. */
  named: string | null;
  data: Variant[];
}

/** `full`: the model fits after other models are unloaded. */
export type Fit = 'fits' | 'full' | 'too large' | 'unknown';

/**
 * The memory for context and computation, besides the weights: a share of the model's size, and a fixed number of
 * bytes.
 */
const WORK_SHARE = 0.1;
const WORK_BYTES = 500e6;

/** True if the text is a source: a repository, a file in a repository, or a URL. Any other text is a search. */
export function isSource(text: string): boolean {
  const source = text.trim();
  return /^(?:hf:|https?:\/\/)\S+$/i.test(source) || /^[\w.-]+\/[^\s/]\S*$/.test(source);
}

/** Returns whether a model of this size, in bytes, fits into the memory that the server reports. */
export function fitOf(size: number, health: Health | null): Fit {
  const memory = health?.memory;
  if (!memory) return 'unknown';
  const needed = size * (1 + WORK_SHARE) + WORK_BYTES;
  if (needed <= memory.available) return 'fits';
  return needed <= memory.available + memory.held ? 'full' : 'too large';
}

/** Returns the named variant if it fits, otherwise the largest variant that fits; null if none fits. */
export function bestOf({ data, named }: VariantList, health: Health | null): Variant | null {
  const fitting = data.filter(({ size }) => ['fits', 'full'].includes(fitOf(size, health)));
  const meant = data.find(({ source }) => source === named);
  if (meant && (fitting.includes(meant) || health?.memory === undefined)) return meant;
  return fitting.reduce<Variant | null>((best, one) => (best && best.size >= one.size ? best : one), null);
}
