import { inject } from 'vitest';

const stale = inject('staleBuild');
if (stale) throw new Error(stale);
