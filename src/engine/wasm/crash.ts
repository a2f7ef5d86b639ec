/** Thrown when the WebAssembly runtime has died. The engine can't serve any more; a new one has to be made. */
export class WasmCrashed extends Error {
  override readonly name = 'WasmCrashed';
}
