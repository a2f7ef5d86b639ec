/** Node's `WebAssembly`, as far as it is used here; Node's type declarations leave it to the browser's. */
export const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    validate(bytes: Uint8Array): boolean;
    compile(bytes: Uint8Array): Promise<object>;
    Module: new (bytes: ArrayBuffer) => object;
    Instance: new (module: object, imports: object) => object;
    instantiateStreaming(response: Response | Promise<Response>, imports: object): Promise<object>;
  };
};
