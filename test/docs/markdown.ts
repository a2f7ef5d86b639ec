import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A Markdown file of the repository. */
export interface Page {
  /** From the root of the repository. */
  path: string;
  text: string;
}

/** The files and folders that git ignores, as `.gitignore` has them. What is made there is nobody's to read. */
export const IGNORED: string[] = readFileSync('.gitignore', 'utf8')
  .split('\n')
  .map((line) => line.replace(/\/$/, ''));

/** Every Markdown file of the repository. Links are followed: the fast tests run in a folder of them. */
export function readPages(folder = ''): Page[] {
  return readdirSync(folder || '.').flatMap((name) => {
    const path = join(folder, name);
    if (name === '.git' || IGNORED.includes(name) || IGNORED.includes(path)) return [];
    if (path.endsWith('.md')) return [{ path, text: readFileSync(path, 'utf8') }];
    return statSync(path).isDirectory() ? readPages(path) : [];
  });
}

/** A page without its blocks of code. */
export function proseOf({ text }: Page): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '');
}

/** What stands between backticks, and the lines of code blocks. */
export function codeOf(page: Page): string[] {
  const blocks = [...page.text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.split('\n'));
  const spans = [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [...blocks, ...spans];
}

/** The anchors of a page's headings, as GitHub names them. */
export function anchorsOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The rows of a page's tables, each as the texts of its cells. */
export function rowsOf({ text }: Page): string[][] {
  return [...text.matchAll(/^\|(.+)\|$/gm)].map(([, row = '']) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}
