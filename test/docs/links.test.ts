import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, proseOf, readPages } from './markdown.ts';

const pages = readPages();

interface Link {
  page: string;
  to: string;
}

/** The links that stay in the repository. */
const links: Link[] = pages.flatMap((page) =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to = '']) => ({ page: page.path, to }))
    .filter(({ to }) => !/^[a-z]+:/.test(to)),
);

function targetOf({ page, to }: Link): { path: string; anchor: string | undefined } {
  const [path = '', anchor] = to.split('#');
  return { path: path === '' ? page : normalize(join(dirname(page), path)), anchor };
}

describe('the links of the documentation', () => {
  it('are many', () => {
    expect(links.length).toBeGreaterThan(20);
  });

  it('lead to files and folders that are there', () => {
    expect(links.filter((link) => !existsSync(targetOf(link).path))).toEqual([]);
  });

  it('lead to headings that are there', () => {
    const lost = links.filter((link) => {
      const { path, anchor } = targetOf(link);
      const page = pages.find((other) => other.path === path);
      return anchor !== undefined && !(page && anchorsOf(page).includes(anchor));
    });
    expect(lost).toEqual([]);
  });

  it('reach every page of docs/ from the README or from CONTRIBUTING.md', () => {
    const reached = links
      .filter(({ page }) => ['README.md', 'CONTRIBUTING.md'].includes(page))
      .map((link) => targetOf(link).path);
    const pagesOfDocs = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
    expect(pagesOfDocs.filter((path) => !reached.includes(path))).toEqual([]);
  });
});
