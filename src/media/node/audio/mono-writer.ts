import { toMono } from '../../mono.ts';
import { broken, tooLarge } from '../../problem.ts';
import { monoWav } from '../../wav-writer.ts';
import { createResampler, type Resampler } from './resample.ts';

/** The rate of what models get, in Hz: that of Whisper's encoder. */
export const RATE = 16_000;

/** Writes decoded samples as a mono WAV of 16 bits. */
export interface MonoWriter {
  /** Adds samples between -1 and 1, channel by channel. Throws a `MediaProblem` once there are too many. */
  add(channels: Float32Array[], rate: number): void;
  /** Returns the WAV. Throws a `MediaProblem` if there are no samples. */
  end(): Uint8Array;
}

/** @param limitSeconds the longest recording */
export function createMonoWriter(limitSeconds: number): MonoWriter {
  const pieces: Int16Array[] = [];
  let length = 0;
  let seconds = 0;
  let current: { rate: number; resampler: Resampler } | undefined;

  const keep = (samples: Float32Array) => {
    pieces.push(Int16Array.from(samples, (sample) => Math.max(-0x8000, Math.min(0x7fff, Math.round(sample * 0x8000)))));
    length += samples.length;
  };

  return {
    add(channels, rate) {
      const [first] = channels;
      if (!first || first.length === 0) return;
      if (!(rate > 0)) throw broken('has no sample rate.');
      seconds += first.length / rate;
      if (seconds > limitSeconds) throw tooLarge(`lasts longer than the limit of ${limitSeconds} seconds.`);
      if (current?.rate !== rate) {
        if (current) keep(current.resampler.end());
        current = { rate, resampler: createResampler(rate, RATE) };
      }
      keep(current.resampler.add(toMono(channels)));
    },
    end() {
      if (current) keep(current.resampler.end());
      if (length === 0) throw broken('has no samples.');
      const samples = new Int16Array(length);
      let position = 0;
      for (const piece of pieces) {
        samples.set(piece, position);
        position += piece.length;
      }
      return monoWav(samples, RATE);
    },
  };
}
