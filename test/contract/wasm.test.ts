import { repeats } from '../support/repeats.ts';
import { describeServerContract } from './server-target.ts';
import { contractOf, WASM } from './targets.ts';

describeServerContract('server + wasm', ['--backend', 'wasm', '--threads', '1'], repeats(2, 20), {
  impossible: WASM.impossible,
  contract: contractOf(WASM),
});
