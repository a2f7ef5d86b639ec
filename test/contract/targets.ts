/** A target of the contract suite. */
export interface ContractTarget {
  name: string;
  file: string;
  /** The promises that it can't keep, each with the reason. */
  impossible: Record<string, string>;
}

/** What no engine on WebAssembly can. */
const ON_WASM = {
  'tells the logprobs of an echoed prompt, which are those of a reply with the same words':
    'the WebAssembly runtime tells no probabilities of the tokens of a prompt: a 400 says so',
};

const NO_UNLOAD = 'a browser holds one model, which leaves for the next one: a 501 says so';
const NO_OTHER_ORIGIN = 'no page of another origin reaches a service worker';

export const BROWSER: ContractTarget = {
  name: 'service worker',
  file: 'test/contract/browser.test.ts',
  impossible: {
    ...ON_WASM,
    'answers preflights of local pages without a key, and lets them read errors too': NO_OTHER_ORIGIN,
    'gives pages of other origins nothing to read': NO_OTHER_ORIGIN,
    'unloads a model that nobody uses, and loads it again for the next request': NO_UNLOAD,
    'unloads a model after a request with keep_alive 0, whoever asks how': NO_UNLOAD,
    'tells its metrics to those with a key, in the text format of Prometheus':
      'a browser keeps no metrics: a 501 says so',
    'lets pages of other sites call nothing, and local ones neither pull nor remove models': NO_OTHER_ORIGIN,
  },
};

export const WASM: ContractTarget = {
  name: 'server, WebAssembly',
  file: 'test/contract/wasm.test.ts',
  impossible: ON_WASM,
};

export const TARGETS: ContractTarget[] = [
  { name: 'server, native', file: 'test/contract/native.test.ts', impossible: {} },
  WASM,
  { name: 'server, native on a GPU, where there is one', file: 'test/contract/gpu.test.ts', impossible: {} },
  BROWSER,
];
