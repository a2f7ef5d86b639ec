/** Node's flags for all worker threads. */
export const THREAD_FLAGS = [
  // Piscina tries `require` first. If `require` loads ES modules and an abort ends the thread meanwhile, V8 crashes the whole process
  // ("IsGraphAsync must be used on an instantiated module", Node 20.20).
  '--no-experimental-require-module',
];
