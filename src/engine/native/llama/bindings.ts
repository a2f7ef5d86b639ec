import koffi from 'koffi';
import { type Declaration, FUNCTIONS } from './functions.ts';
import { declareStructs, type Pointer } from './structs.ts';

// The only file that calls koffi's functions, with structs.ts, which declares types to it.

type Functions = typeof FUNCTIONS;

/** A function of C. `async` runs it on a thread of libuv, so that the event loop goes on. */
export type CFunction<F> = F extends (...args: infer A) => infer R
  ? ((...args: A) => R) & { async: (...args: A) => Promise<R> }
  : never;

/** The functions of `FUNCTIONS`, ready to be called. */
export type Bindings = {
  [Name in keyof Functions]: Functions[Name] extends Declaration<infer F> ? CFunction<F> : never;
} & {
  /** The address of a function for `llama_log_set` that drops the log. */
  silentLog: Pointer;
};

/**
 * Opens llama.cpp's shared libraries and binds its functions.
 *
 * @param paths the libraries in the order of their dependencies: ggml-base, ggml, llama
 * @throws an Error that names the library or the function that is missing
 */
export function bind(paths: string[]): Bindings {
  declareStructs();
  const libraries = paths.map((path) => koffi.load(path));
  const bound = Object.entries(FUNCTIONS).map(([name, { prototype }]) => {
    for (const library of libraries) {
      try {
        return [name, withPromise(library.func(prototype))];
      } catch {
        // It is in another library.
      }
    }
    throw new Error(`llama.cpp's libraries have no function ${name}`);
  });
  return { ...Object.fromEntries(bound), silentLog: registerSilentLog() } as Bindings;
}

type KoffiFunction = ReturnType<ReturnType<typeof koffi.load>['func']>;

function withPromise(call: KoffiFunction): unknown {
  const async = (...args: unknown[]) =>
    new Promise((resolve, reject) => {
      call.async(...args, (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)));
    });
  return Object.assign((...args: unknown[]) => call(...args) as unknown, { async });
}

/** llama.cpp may log from other threads, so this is a callback that koffi brings to the event loop. */
function registerSilentLog(): Pointer {
  const type = koffi.pointer(koffi.proto('void (int level, const char *text, void *data)'));
  return koffi.register(() => {}, type);
}
