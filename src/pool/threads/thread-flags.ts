/** The flags of Node for every worker thread. */
export const THREAD_FLAGS = [
  // Stacks name the lines of the TypeScript sources.
  '--enable-source-maps',
  // Piscina tries `require` first. Where that loads ES modules and the thread is ended meanwhile, as a client's abort does, V8 takes
  // the whole process down ("IsGraphAsync must be used on an instantiated module", Node 20.20).
  '--no-experimental-require-module',
];
