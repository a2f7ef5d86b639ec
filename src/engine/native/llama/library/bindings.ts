import koffi from 'koffi';
import { HIDDEN_FUNCTIONS } from '../hidden/functions.ts';
import { MEDIA_FUNCTIONS } from '../media/functions.ts';
import { type Declaration, FUNCTIONS } from './functions.ts';
import type { Pointer } from './pointer.ts';
import { declareStructs, type ThreadPoolParams } from './structs.ts';

// The only file that calls koffi's functions, with structs.ts, which declares types to it.

/** The stack of a call: koffi's own are smaller than a thread's, and llama.cpp's regular expressions recurse deeply. */
const STACK_BYTES = 8 * 2 ** 20;
enlargeStacks();

/** A function of C. `async` runs it on a thread of libuv, so that the event loop goes on. */
export type CFunction<F> = F extends (...args: infer A) => infer R
  ? ((...args: A) => R) & { async: (...args: A) => Promise<R> }
  : never;

type BindingsOf<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends Declaration<infer F> ? CFunction<F> : never;
};

/** The functions of `FUNCTIONS`, ready to be called. */
export type Bindings = BindingsOf<typeof FUNCTIONS>;

/** The functions of `MEDIA_FUNCTIONS`, ready to be called. */
export type MediaBindings = BindingsOf<typeof MEDIA_FUNCTIONS>;

/** The functions of `HIDDEN_FUNCTIONS`, ready to be called. */
export type HiddenBindings = BindingsOf<typeof HIDDEN_FUNCTIONS>;

/** A line of llama.cpp's log. `level` is ggml's: 1 debug, 2 information, 3 warning, 4 error, 5 the rest of a line. */
export type TakeLogLine = (level: number, text: string) => void;

/**
 * Opens llama.cpp's shared libraries and binds its functions.
 *
 * @param paths the libraries in the order of their dependencies: ggml-base, ggml, llama
 * @throws an Error that names the library or the function that is missing
 */
export function bind(paths: string[]): Bindings {
  declareStructs();
  return bindAll(
    FUNCTIONS,
    paths.map((path) => koffi.load(path)),
  );
}

/**
 * Opens libmtmd and binds its functions.
 *
 * @param libraries the paths of llama.cpp's libraries that are open. Their functions become visible to libmtmd, which
 *   names no libraries itself: those for the CPU and for each GPU have other names.
 * @throws an Error if libmtmd does not fit these libraries
 */
export function bindMedia(path: string, libraries: string[]): MediaBindings {
  declareStructs();
  for (const library of libraries) koffi.load(library, { global: true });
  return bindAll(MEDIA_FUNCTIONS, [koffi.load(path)]);
}

/** Binds the functions for MTP layers of the libraries that `bind` has opened. Returns null if one is missing. */
export function bindHidden(paths: string[]): HiddenBindings | null {
  try {
    return bindAll(
      HIDDEN_FUNCTIONS,
      paths.map((path) => koffi.load(path)),
    );
  } catch {
    return null;
  }
}

type KoffiLibrary = ReturnType<typeof koffi.load>;

function bindAll<Functions extends Record<string, Declaration<(...args: never[]) => unknown>>>(
  functions: Functions,
  libraries: KoffiLibrary[],
): BindingsOf<Functions> {
  const bound = Object.entries(functions).map(([name, { prototype }]) => {
    for (const library of libraries) {
      try {
        return [name, withPromise(library.func(prototype))];
      } catch {
        // It is in another library.
      }
    }
    throw new Error(`llama.cpp's libraries have no function ${name}`);
  });
  return Object.fromEntries(bound) as BindingsOf<Functions>;
}

function enlargeStacks(): void {
  try {
    koffi.config({ sync_stack_size: STACK_BYTES, async_stack_size: STACK_BYTES });
  } catch {
    // Another module of this process has opened a library before; koffi's stacks stay as they are.
  }
}

type KoffiFunction = ReturnType<KoffiLibrary['func']>;

function withPromise(call: KoffiFunction): unknown {
  const async = (...args: unknown[]) =>
    new Promise((resolve, reject) => {
      call.async(...args, (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)));
    });
  return Object.assign((...args: unknown[]) => call(...args) as unknown, { async });
}

/**
 * Returns the address of a function that llama.cpp may call with its log. llama.cpp logs from several threads; koffi
 * brings each call to the event loop, and the calling thread waits for it.
 */
export function registerLog(take: TakeLogLine): Pointer {
  const type = koffi.pointer(koffi.proto('void (int level, const char *text, void *data)'));
  return koffi.register((level: number, text: string) => take(level, text), type);
}

/** The functions of the CPU's library for pools of threads. Their addresses are asked for: that library is chosen at run time. */
export interface ThreadPools {
  create(params: ThreadPoolParams): Pointer;
  free(pool: Pointer): void;
}

/** Binds ggml's functions for pools of threads, given their addresses in the library for the CPU. */
export function bindThreadPools(create: Pointer, free: Pointer): ThreadPools {
  const creates = koffi.decode(create, koffi.proto('void *(ggml_threadpool_params *params)')) as KoffiFunction;
  const frees = koffi.decode(free, koffi.proto('void (void *pool)')) as KoffiFunction;
  return { create: (params) => creates(params) as Pointer, free: (pool) => void frees(pool) };
}

/** The functions of Paddock's library of kernels. */
export interface KernelLibrary {
  /** Returns the instruction set that the kernels use; null if this processor has none of theirs. */
  describe(): string | null;
  /** Returns the number of products with weights of a ggml type that the kernels have computed. */
  products(type: number): number;
  /**
   * Fills in the `most` highest of `count` logits and their tokens, as `highestLogits` orders them. Returns their number;
   * -1 if the kernels are off.
   */
  highest(logits: Pointer, count: number, most: number, tokens: Int32Array, highest: Float32Array): number;
  /**
   * Waits for the end of a context's latest pass, and finds the highest logits at up to 512 places.
   *
   * @param llama the addresses of `SEARCH_FUNCTIONS`
   * @param wanted pairs of a place and a number of logits
   * @param counts where the numbers of found logits are written; -1 if there are none
   */
  search: CFunction<
    (
      llama: Pointer,
      context: Pointer,
      vocabulary: number,
      places: number,
      wanted: Pointer,
      counts: Pointer,
      tokens: Pointer,
      logits: Pointer,
      threads: number,
    ) => void
  >;
  /**
   * Has attention sum in one order from now on, in the whole process, however many tokens are evaluated together. A token
   * then has the same logits alone as with others.
   */
  keepOrder(): void;
  /**
   * Begins to move the content of mapped files into huge pages, in a thread of its own. `ranges` has the address and the
   * number of bytes of each. Returns null if it cannot begin.
   */
  movePages(ranges: BigUint64Array): Pointer | null;
  /** Returns the number of bytes that have been moved. */
  movedPages(move: Pointer): number;
  /** Ends the move, done or not, and waits for its end. The files have to be mapped until then. */
  endPages(move: Pointer): void;
}

/** The functions of llama.cpp that Paddock's kernels call. */
const SEARCH_FUNCTIONS = ['llama_synchronize', 'llama_get_logits_ith'];

/**
 * Returns the addresses of `SEARCH_FUNCTIONS`, one after the other.
 *
 * @param path llama.cpp's library, which is open
 */
export function searchFunctions(path: string): BigUint64Array {
  const library = koffi.load(path);
  const addresses = SEARCH_FUNCTIONS.map((name) => library.symbol(name) as Pointer);
  return BigUint64Array.from({ length: 64 }, (_, index) => addresses[index] ?? 0n);
}

/**
 * Opens Paddock's library of kernels with its functions visible to the libraries that are opened later. Throws an Error
 * if it cannot be opened.
 */
export function bindKernels(path: string): KernelLibrary {
  const library = koffi.load(path, { global: true });
  const describe = library.func('const char *paddock_kernels_describe()');
  const products = library.func('uint64_t paddock_kernels_products(int type)');
  const highest = library.func(
    'int32_t paddock_kernels_highest(const void *all, int32_t count, int32_t most, int32_t *tokens, float *logits)',
  );
  const search = withPromise(
    library.func(
      'void paddock_kernels_search(void *llama, void *context, int32_t vocabulary, int32_t places, void *wanted, void *counts, void *tokens, void *logits, int32_t threads)',
    ),
  ) as KernelLibrary['search'];
  const keepOrder = library.func('void paddock_kernels_keep_order()');
  const movePages = library.func('void *paddock_pages_move(const void *ranges, int32_t count)');
  const movedPages = library.func('uint64_t paddock_pages_moved(void *move)');
  const endPages = library.func('void paddock_pages_end(void *move)');
  return {
    describe: () => describe() as string | null,
    products: (type) => Number(products(type)),
    highest: (...args) => highest(...args) as number,
    search,
    keepOrder: () => void keepOrder(),
    movePages: (ranges) => movePages(ranges, ranges.length / 2) as Pointer | null,
    movedPages: (move) => Number(movedPages(move)),
    endPages: (move) => void endPages(move),
  };
}

/** Returns the address of a typed array's memory. The array has to be kept as long as C uses the address. */
export function addressOf(array: NodeJS.TypedArray): Pointer {
  return koffi.address(array);
}

const kept = new Set<readonly NodeJS.TypedArray[]>();

/**
 * A call of it keeps arrays from being freed before it, while C has their addresses. It has an effect, since compilers leave out
 * calls without one.
 */
export function keepUntilHere(arrays: readonly NodeJS.TypedArray[]): void {
  kept.add(arrays);
  kept.delete(arrays);
}

const C_LIBRARY = koffi.load(process.platform === 'win32' ? 'msvcrt.dll' : null);
const memcpy = C_LIBRARY.func('void *memcpy(void *target, void *source, size_t bytes)');

/** Short typed arrays lie on JavaScript's heap, where they may be moved while C has their address. */
const LEAST_ITEMS = 64;

/** Returns a length for a typed array of which C is given the address: at least `items`, and so many that the array stays in its place. */
export function lengthForC(items: number): number {
  return Math.max(LEAST_ITEMS, items);
}

/** Fills a typed array with the memory at an address. Some runtimes, such as Electron, allow no view of that memory. */
export function copyInto(array: NodeJS.TypedArray, source: Pointer): void {
  memcpy(addressOf(array), source, array.byteLength);
}

/**
 * Returns the address of `strlen`, as a callback for llama.cpp: given the address of a byte, it returns true if the
 * byte is not 0 (and the byte after it is). So no JavaScript has to answer in the middle of a forward pass.
 */
export function isSetCallback(): Pointer {
  return C_LIBRARY.symbol('strlen') as Pointer;
}
