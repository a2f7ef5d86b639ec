import { describeServerContract } from './server-target.ts';
import { WASM } from './targets.ts';

describeServerContract('server + wasm', ['--backend', 'wasm', '--threads', '1'], 40, { impossible: WASM.impossible });
