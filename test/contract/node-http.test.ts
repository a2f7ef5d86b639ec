import { describeServerContract } from './server-target.ts';

// What the HTTP server has a part in. The engine is that of native.test.ts.
const sections = [
  'models',
  'streams',
  "messages, in Anthropic's form",
  'responses',
  'images and audio, as media',
  'the API of Ollama',
  'errors and limits',
  'cancellation',
  'HTTP, keys and CORS',
];

describeServerContract('server + native over node:http', ['--backend', 'cpu', '--threads', '1'], 20, {
  env: { PADDOCK_HTTP: 'node' },
  sections,
});
