import { IS_LONG } from '../support/repeats.ts';
import { CONTRACT, type Contract, type ContractCase, contractIn } from './suite.ts';

/** A target of the contract suite. */
export interface ContractTarget {
  name: string;
  file: string;
  /** The promises that it can't keep, each with the reason. */
  impossible: Record<string, string>;
  /** The sections that the regular run leaves to other targets, on which they run the same code. */
  elsewhere?: string[];
}

/** What src/engine/wasm computes, on a server as in a browser. The regular run tests it on the server. */
const OF_THE_ENGINE = [
  'sampling',
  'tools and structured output',
  'choices and logprobs',
  'completions and filters',
  'decisions',
  'tokens',
  'embeddings',
  'ranking, by models like those of embeddings',
];

/**
 * What a server does before and after an engine, whichever that is. The regular run tests it on the native engine, and in the
 * browser, which answers and reads media with parts of its own, and has the same engine.
 */
const OF_THE_SERVER = [
  'chat completions',
  'streams',
  "messages, in Anthropic's form",
  'fields and paths of other clients',
  'responses',
  'images and audio, as media',
  'transcripts of recordings',
  'the API of Ollama',
  'errors and limits',
  'HTTP, keys and CORS',
];

/** Returns what a run tests on a target: all in a long one. */
export function contractOf({ elsewhere = [] }: ContractTarget): Contract {
  return besideNative(contractIn(Object.keys(CONTRACT).filter((section) => IS_LONG || !elsewhere.includes(section))));
}

/** Leaves out what the regular run tests on the native server only. */
export function besideNative(contract: Contract): Contract {
  if (IS_LONG) return contract;
  const left = (cases: ContractCase[]) => cases.filter(({ byApiAlone }) => !byApiAlone);
  return Object.fromEntries(Object.entries(contract).map(([section, cases]) => [section, left(cases)]));
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
  elsewhere: OF_THE_ENGINE,
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
  elsewhere: OF_THE_SERVER,
  impossible: ON_WASM,
};

export const TARGETS: ContractTarget[] = [
  { name: 'server, native', file: 'test/contract/native.test.ts', impossible: {} },
  WASM,
  { name: 'server, native on a GPU, where there is one', file: 'test/contract/gpu.test.ts', impossible: {} },
  BROWSER,
];
