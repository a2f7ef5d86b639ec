/** A target of the contract suite. */
export interface ContractTarget {
  name: string;
  file: string;
  /** The promises that it can't keep, each with the reason. */
  impossible: Record<string, string>;
}

const NO_OTHER_ORIGIN = 'no page of another origin reaches a service worker';

export const BROWSER: ContractTarget = {
  name: 'service worker',
  file: 'test/contract/browser.test.ts',
  impossible: {
    'answers preflights of local pages without a key, and lets them read errors too': NO_OTHER_ORIGIN,
    'gives pages of other origins nothing to read': NO_OTHER_ORIGIN,
    'lets pages of other sites call nothing, and local ones neither pull nor remove models': NO_OTHER_ORIGIN,
  },
};

export const TARGETS: ContractTarget[] = [
  { name: 'server, native', file: 'test/contract/native.test.ts', impossible: {} },
  { name: 'server, WebAssembly', file: 'test/contract/wasm.test.ts', impossible: {} },
  { name: 'server, native on a GPU, where there is one', file: 'test/contract/gpu.test.ts', impossible: {} },
  BROWSER,
];
