import fc from 'fast-check';
import { IS_LONG } from './repeats.ts';

// In the regular run, the inputs that fast-check makes up are the same each time: a change is judged by what it changed.
// `npm run test:long` looks for new ones.
if (!IS_LONG) fc.configureGlobal({ seed: 1 });
