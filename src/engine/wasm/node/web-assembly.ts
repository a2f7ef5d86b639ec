/** The part of Node's `WebAssembly` that is used here. Node's type declarations leave it to those of the browser. */
export const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    validate(bytes: Uint8Array): boolean;
    compile(bytes: Uint8Array): Promise<object>;
    Module: new (bytes: ArrayBuffer) => object;
    Instance: new (module: object, imports: object) => object;
    instantiateStreaming(response: Response | Promise<Response>, imports: object): Promise<object>;
  };
};
