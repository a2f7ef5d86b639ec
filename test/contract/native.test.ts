import { repeats } from '../support/repeats.ts';
import { describeServerContract } from './server-target.ts';

describeServerContract('server + native', ['--backend', 'cpu', '--threads', '1'], repeats(4, 30));
