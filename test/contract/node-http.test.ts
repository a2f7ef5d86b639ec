import { describeServerContract } from './server-target.ts';
import { contractIn } from './suite.ts';
import { besideNative } from './targets.ts';

// What the HTTP server has a part in. The engine is that of native.test.ts.
const sections = [
  'models',
  'streams',
  "messages, in Anthropic's form",
  'responses',
  'the API of Ollama',
  'errors and limits',
  'cancellation',
  'HTTP, keys and CORS',
];

const ENGINE_ALONE = 'the HTTP server has no part in it, and native.test.ts has it';

describeServerContract('server + native over node:http', ['--backend', 'cpu', '--threads', '1'], 8, {
  env: { PADDOCK_HTTP: 'node' },
  contract: besideNative(contractIn(sections)),
  impossible: {
    'unloads a model that nobody uses, and loads it again for the next request': ENGINE_ALONE,
    'unloads a model after a request with keep_alive 0, whoever asks how': ENGINE_ALONE,
    'takes how long a model is to stay in memory, and refuses what is no duration': ENGINE_ALONE,
    'runs the tool loop of the AI SDK, which refers to what it has been told by ids': ENGINE_ALONE,
  },
});
