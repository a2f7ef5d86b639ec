import { describeServerContract } from './server-target.ts';

describeServerContract('server + native', ['--backend', 'cpu', '--threads', '1'], {
  mirostat: 2,
  typical_p: 0.5,
  dynatemp_range: 0.5,
});
