import { repeats } from '../support/repeats.ts';
import { describeServerContract } from './server-target.ts';
import { CONTRACT } from './suite.ts';
import { sectionsOf, WASM } from './targets.ts';

describeServerContract('server + wasm', ['--backend', 'wasm', '--threads', '1'], repeats(4, 20), {
  impossible: WASM.impossible,
  sections: sectionsOf(WASM, Object.keys(CONTRACT)),
});
