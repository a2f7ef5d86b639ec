import { realpathSync } from 'node:fs';
import { sum } from '../../../utils/sum.ts';
import { readOrEmpty } from '../../node/read-or-empty.ts';
import { keepUntilHere } from './library/bindings.ts';
import type { Kernels } from './library/kernels.ts';

/** Weights that move from the small pages of a mapped file into pages of 2 MB. */
export interface WeightMove extends AsyncDisposable {
  /** The bytes of the mapped files. */
  readonly bytes: number;
  /** Returns the number of bytes that have been moved. */
  moved(): number;
}

/** What the moves of this process have taken on. A file that two models map is moved by each for itself. */
const claimed = new Set<Range>();

/**
 * Moves the weights of a loaded model into huge pages, in a thread of the lowest priority while the model answers: a
 * pass of few tokens then takes up to a quarter less time. The memory that they take does not grow, but the system
 * cannot drop them as it can drop pages of a file. It has to be disposed before the model is closed, and stops then.
 * Returns null where nothing is mapped, the system has no huge pages, or Paddock's kernels are not used.
 *
 * @param files the files of the model
 */
export function moveWeights({ pages }: Kernels, files: readonly string[]): WeightMove | null {
  if (!pages || !offersHugePages()) return null;
  const paths = new Set(files.map((file) => realpathSync(file)));
  const ranges = mappedRanges(readOrEmpty('/proc/self/maps'), paths).filter((range) => !isClaimed(range));
  const bytes = sum(ranges.map(({ start, end }) => Number(end - start)));
  const addresses = BigUint64Array.from(ranges.flatMap(({ start, end }) => [start, end - start]));
  const move = bytes > 0 ? pages.movePages(addresses) : null;
  keepUntilHere([addresses]);
  if (move === null) return null;
  for (const range of ranges) claimed.add(range);
  return {
    bytes,
    moved: () => pages.movedPages(move),
    async [Symbol.asyncDispose]() {
      pages.endPages(move);
      for (const range of ranges) claimed.delete(range);
    },
  };
}

function isClaimed({ start, end }: Range): boolean {
  return [...claimed].some((other) => start < other.end && other.start < end);
}

/**
 * Returns true if the system gives pages of 2 MB to a program that asks for them. Only Linux does.
 *
 * @param setting the kernel's choice, such as `always [madvise] never`
 */
export function offersHugePages(setting = readOrEmpty('/sys/kernel/mm/transparent_hugepage/enabled')): boolean {
  return /\[(always|madvise)\]/.test(setting);
}

/** Addresses of a process: from `start` up to `end`. */
interface Range {
  start: bigint;
  end: bigint;
}

/**
 * Returns the addresses at which these files are mapped.
 *
 * @param maps the text of `/proc/self/maps`: a line has the addresses, four more fields, and the path
 */
export function mappedRanges(maps: string, files: ReadonlySet<string>): Range[] {
  return maps.split('\n').flatMap((line) => {
    const [, start, end, path] = /^([0-9a-f]+)-([0-9a-f]+) (?:\S+ +){4}(.*)$/.exec(line) ?? [];
    return path !== undefined && files.has(path) ? [{ start: BigInt(`0x${start}`), end: BigInt(`0x${end}`) }] : [];
  });
}
