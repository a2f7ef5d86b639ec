import { readFileSync, writeFileSync } from 'node:fs';
import { DOCS_FILE, withResults } from './compare/docs.ts';
import { readResults } from './compare/results.ts';

/** Writes the stored results into docs/benchmarks.md. */
writeFileSync(DOCS_FILE, withResults(readFileSync(DOCS_FILE, 'utf8'), readResults()));
