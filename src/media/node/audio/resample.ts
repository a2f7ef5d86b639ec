/** Converts samples from one rate to another, piece by piece. */
export interface Resampler {
  /** Returns the samples that can be computed so far. */
  add(samples: Float32Array): Float32Array;
  /** Returns the last samples, as if silence followed. */
  end(): Float32Array;
}

/** The zero crossings of the filter on each side: more make the filter sharper and slower. */
const CROSSINGS = 8;
/** The filter is computed at this many places between two samples. */
const PHASES = 64;

/** Makes a resampler with a windowed sinc filter, which removes frequencies that the lower rate cannot have. Rates are in Hz. */
export function createResampler(from: number, to: number): Resampler {
  if (from === to) return { add: (samples) => samples, end: () => new Float32Array() };
  const step = from / to;
  const cutoff = Math.min(1, to / from);
  const reach = Math.ceil(CROSSINGS / cutoff);
  const filters = Array.from({ length: PHASES }, (_, phase) => makeFilter(phase / PHASES, reach, cutoff));
  /** The samples that the next result needs; the first results take the time before the beginning as silence. */
  let kept = new Float32Array(reach);
  /** The place of the next result in them. */
  let next = reach;

  const compute = (): Float32Array => {
    const count = Math.max(0, Math.ceil((kept.length - reach - next) / step));
    const results = new Float32Array(count);
    for (let index = 0; index < count; index++) {
      const at = Math.floor(next);
      const filter = filters[Math.floor((next - at) * PHASES)] ?? kept;
      let sum = 0;
      for (let tap = 0; tap < 2 * reach; tap++) sum += (filter[tap] ?? 0) * (kept[at - reach + 1 + tap] ?? 0);
      results[index] = sum;
      next += step;
    }
    const used = Math.max(0, Math.floor(next) - reach);
    kept = kept.slice(used);
    next -= used;
    return results;
  };

  return {
    add(samples) {
      const more = new Float32Array(kept.length + samples.length);
      more.set(kept);
      more.set(samples, kept.length);
      kept = more;
      return compute();
    },
    end() {
      return this.add(new Float32Array(reach));
    },
  };
}

/** Returns the weights of the samples around a place that lies this far behind a sample. Their sum is 1. */
function makeFilter(behind: number, reach: number, cutoff: number): Float32Array {
  const weights = Float32Array.from({ length: 2 * reach }, (_, tap) => {
    const distance = tap - reach + 1 - behind;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (reach + 1));
    return sinc(distance * cutoff) * window;
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}
