import { showSourceLines } from '../source-lines.ts';

showSourceLines();
void import('./program.ts').then(({ runProgram }) => runProgram());
