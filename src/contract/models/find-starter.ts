import type { Starter } from './starter.ts';
import { STARTERS } from './starters.ts';

/** A starter model in a quantization. */
export interface NamedStarter {
  starter: Starter;
  /** In capitals. */
  quantization: string;
}

/** The quantization at the end of a name, as Ollama's tags have it: `qwen3:4b-q8_0`. */
const QUANTIZATION = /-((?:ud-)?(?:i?q[1-8](?:_[a-z0-9]+)*|b?f16|f32))$/;

const BY_NAME = new Map(
  STARTERS.flatMap((starter) => [starter.name, ...(starter.also ?? [])].map((name) => [name, starter])),
);

/** Returns the starter model with this name, with or without `:latest` or a quantization; undefined if there is none. */
export function findStarter(name: string): NamedStarter | undefined {
  const wanted = name
    .trim()
    .toLowerCase()
    .replace(/:latest$/, '');
  const starter = BY_NAME.get(wanted);
  if (starter) return { starter, quantization: starter.quantization };
  const [end, quantization] = QUANTIZATION.exec(wanted) ?? [];
  const base = end === undefined ? undefined : BY_NAME.get(wanted.slice(0, -end.length));
  return base && quantization ? { starter: base, quantization: quantization.toUpperCase() } : undefined;
}

/** Returns the starter models whose names begin like this one: for `qwen3:7b` or `qwen`, those of Qwen3. */
export function startersLike(name: string): Starter[] {
  const [family = ''] = name.trim().toLowerCase().split(/[:@/]/);
  return family.length < 2 ? [] : STARTERS.filter((starter) => starter.name.startsWith(family));
}

/** Returns the source by which the model is pulled. */
export function sourceOfStarter({ starter, quantization }: NamedStarter): string {
  return `hf:${idOfStarter({ starter, quantization })}`;
}

/** Returns the id that the model has once it is pulled. */
export function idOfStarter({ starter, quantization }: NamedStarter): string {
  return `${starter.repository}:${quantization}`;
}

/** The size of all files of a starter model in its own quantization, in bytes. */
export function starterBytes({ size, projectorSize = 0 }: Starter): number {
  return size + projectorSize;
}
