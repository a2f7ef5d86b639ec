import { readFileSync } from 'node:fs';
import { packageRoot } from '../package-root.ts';

const manifest = readFileSync(new URL('package.json', packageRoot()), 'utf8');

/** Paddock's version from its package.json. */
export const version: string = (JSON.parse(manifest) as { version: string }).version;
