/** Thrown when the WebAssembly runtime has crashed. The engine cannot be used any more; load another one. */
export class WasmCrashed extends Error {
  override readonly name = 'WasmCrashed';
}
