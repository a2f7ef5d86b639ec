import type { Health } from '../page/health.ts';

/** A repository of the hub, as POST /v1/models/search tells. */
export interface Found {
  /** `org/name`. */
  id: string;
  downloads: number;
  gated: boolean;
}

/** What there is to pull at a source, as POST /v1/models/variants tells. */
export interface Offer {
  origin: string;
  /** The source of the variant that is meant, or that is commonly taken; null if that is not clear. */
  named: string | null;
  data: Variant[];
}

/** One model, in one quantization. */
export interface Variant {
  source: string;
  quantization: string | null;
  /** In bytes. */
  size: number;
  projector: boolean;
}

/** `full` means that models which are in memory now have to leave for it. */
export type Fit = 'fits' | 'full' | 'too large' | 'unknown';

/** What a model needs for its context and its work: so much of its size, and so many bytes more. */
const WORK_SHARE = 0.1;
const WORK_BYTES = 500e6;

/** True if the text names a source itself: a repository, a file in one, or an address. All others are words to search for. */
export function isSource(text: string): boolean {
  const source = text.trim();
  return /^(?:hf:|https?:\/\/)\S+$/i.test(source) || /^[\w.-]+\/[^\s/]\S*$/.test(source);
}

/** Says if a model of this size in bytes fits the memory that the server tells. */
export function fitOf(size: number, health: Health | null): Fit {
  const memory = health?.memory;
  if (!memory) return 'unknown';
  const needed = size * (1 + WORK_SHARE) + WORK_BYTES;
  if (needed <= memory.available) return 'fits';
  return needed <= memory.available + memory.held ? 'full' : 'too large';
}

/** The variant to take: the one that is meant if it fits, or else the largest that does. Null if none does. */
export function bestOf({ data, named }: Offer, health: Health | null): Variant | null {
  const fitting = data.filter(({ size }) => ['fits', 'full'].includes(fitOf(size, health)));
  const meant = data.find(({ source }) => source === named);
  if (meant && (fitting.includes(meant) || health?.memory === undefined)) return meant;
  return fitting.reduce<Variant | null>((best, one) => (best && best.size >= one.size ? best : one), null);
}
