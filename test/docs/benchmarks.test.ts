import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DOCS_FILE, withResults } from '../../benchmarks/compare/docs.ts';
import { FIGURES } from '../../benchmarks/compare/figures-shown.ts';
import { plotFile, readResults } from '../../benchmarks/compare/results.ts';

it('the page of benchmarks says what the stored results say: npm run build && npm run bench:docs', () => {
  const page = readFileSync(DOCS_FILE, 'utf8');
  expect(page).toBe(withResults(page, readResults()));
});

it('every stored result has its plots', () => {
  const plots = FIGURES.flatMap(({ plot }) => plot ?? []);
  const missing = readResults().flatMap(([name]) =>
    plots.map((plot) => plotFile(name, plot)).filter((file) => !existsSync(file)),
  );
  expect(missing).toEqual([]);
});
