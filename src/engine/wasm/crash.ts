/** The WebAssembly runtime is gone: the engine that threw this serves nothing more and has to be built anew. */
export class WasmCrashed extends Error {
  override readonly name = 'WasmCrashed';
}
