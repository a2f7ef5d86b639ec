import { describeServerContract } from './server-target.ts';

describeServerContract('server + wasm', ['--backend', 'wasm', '--threads', '1'], 40);
