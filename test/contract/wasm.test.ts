import { describeServerContract } from './server-target.ts';
import { WASM } from './targets.ts';

describeServerContract('server + wasm', ['--backend', 'wasm', '--threads', '1'], 20, { impossible: WASM.impossible });
