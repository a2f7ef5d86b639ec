import { describeServerContract } from './server-target.ts';

describeServerContract('server + native', ['--backend', 'cpu', '--threads', '1'], 30);
