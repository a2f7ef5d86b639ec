/** A seeded source of random numbers. */
export interface RandomSource {
  /** An unsigned 32-bit integer. */
  nextInteger(): number;
  /** At least 0 and less than 1. */
  nextUniform(): number;
  /** At least 0 and less than 1, as a 32-bit float made of one integer. */
  nextUniformFloat(): number;
}

const SIZE = 624;
const SHIFT_SIZE = 397;

/**
 * Matsumoto and Nishimura's MT19937, in C++ `std::mt19937`. llama.cpp uses it with the same seed.
 *
 * `nextUniform` is `std::uniform_real_distribution<double>(0, 1)` of libstdc++ (up to GCC 15) and libc++: two integers
 * make 64 bits, and the first one is the low half. Other C++ libraries make other doubles of the same integers.
 * `nextUniformFloat` is that distribution of floats.
 */
export function createMersenneTwister(seed: number): RandomSource {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let index = 1; index < SIZE; index++) {
    const before = state[index - 1] ?? 0;
    state[index] = Math.imul(before ^ (before >>> 30), 1812433253) + index;
  }
  let next = SIZE;

  const nextInteger = () => {
    if (next === SIZE) {
      twist(state);
      next = 0;
    }
    return temper(state[next++] ?? 0);
  };

  return {
    nextInteger,
    nextUniform() {
      const low = nextInteger();
      const uniform = (nextInteger() * 2 ** 32 + low) / 2 ** 64;
      // The highest integers would round to 1, which is excluded, as in C++.
      return Math.min(uniform, 1 - 2 ** -53);
    },
    nextUniformFloat: () => Math.min(Math.fround(nextInteger()) / 2 ** 32, 1 - 2 ** -24),
  };
}

function twist(state: Uint32Array): void {
  for (let index = 0; index < SIZE; index++) {
    const joined = ((state[index] ?? 0) & 0x80000000) | ((state[(index + 1) % SIZE] ?? 0) & 0x7fffffff);
    const shifted = (state[(index + SHIFT_SIZE) % SIZE] ?? 0) ^ (joined >>> 1);
    state[index] = joined & 1 ? shifted ^ 0x9908b0df : shifted;
  }
}

function temper(word: number): number {
  let bits = word;
  bits ^= bits >>> 11;
  bits ^= (bits << 7) & 0x9d2c5680;
  bits ^= (bits << 15) & 0xefc60000;
  return (bits ^ (bits >>> 18)) >>> 0;
}
