import { repeats } from '../support/repeats.ts';
import { describeServerContract } from './server-target.ts';
import { WASM } from './targets.ts';

describeServerContract('server + wasm', ['--backend', 'wasm', '--threads', '1'], repeats(4, 20), {
  impossible: WASM.impossible,
});
