import type { Variant } from '../../../src/contract/models/finder.ts';
import { type Fit, memoryFit, neededMemory } from '../../../src/contract/models/needed-memory.ts';
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

/**
 * True if the text is a source: a repository, a file in a repository, a URL, or a starter model's name with its size,
 * as in `qwen3:4b`. Any other text is a search.
 */
export function isSource(text: string): boolean {
  const source = text.trim();
  return /^(?:hf:|https?:\/\/)\S+$/i.test(source) || /^[\w.-]+(?:\/[^\s/]\S*|:[\w.-]+)$/.test(source);
}

/** Returns whether a model of this size, in bytes, fits into the memory that the server reports. */
export function fitOf(size: number, health: Health | null): Fit {
  return memoryFit(neededMemory(size), health?.memory);
}

/** Returns the named variant if it fits, otherwise the largest variant that fits; null if none fits. */
export function bestOf({ data, named }: VariantList, health: Health | null): Variant | null {
  const fitting = data.filter(({ size }) => ['fits', 'full'].includes(fitOf(size, health)));
  const meant = data.find(({ source }) => source === named);
  if (meant && (fitting.includes(meant) || health?.memory === undefined)) return meant;
  return fitting.reduce<Variant | null>((best, one) => (best && best.size >= one.size ? best : one), null);
}
