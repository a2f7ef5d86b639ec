import { inject } from 'vitest';

process.chdir(inject('bareFolder'));
