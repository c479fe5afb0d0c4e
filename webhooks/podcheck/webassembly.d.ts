/** The part of the WebAssembly interface that is used here; TypeScript knows it only together with a browser's. */
declare namespace WebAssembly {
  class Module {
    private readonly brand: never;
  }
  interface Instance {
    readonly exports: object;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(module: Module, imports: object): Promise<Instance>;
}
