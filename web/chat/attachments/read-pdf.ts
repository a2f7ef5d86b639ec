import { GlobalWorkerOptions, getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import { t } from '../messages/language.ts';
import type { Key } from '../messages/translate.ts';
import { type TextPiece, textOfPage, textOfPages } from './pdf-text.ts';
import { TEXT_LIMITS, tooLong } from './text-file.ts';

// PDF.js is large, so this module is only loaded when a PDF is given. Its worker is a file of our own site.
GlobalWorkerOptions.workerSrc = workerUrl;

const FOLDER = '../../../node_modules/pdfjs-dist/cmaps/';

/** Fonts that use one of Adobe's old codes for Chinese, Japanese or Korean need these tables: their URLs, by their paths. */
const TABLES = import.meta.glob<string>('../../../node_modules/pdfjs-dist/cmaps/*.bcmap', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Errors alone are written to the console: PDF.js warns of much that does not matter for the text. */
const ERRORS_ONLY = 0;

/** Reads the text of a PDF. Throws an `Error` whose message is for people. The bytes are PDF.js's from now on. */
export async function readPdf(name: string, data: Uint8Array): Promise<{ text: string; pages: number }> {
  const tables = createTables();
  const loading = getDocument({
    data,
    verbosity: ERRORS_ONLY,
    // The page's policy allows no code from strings.
    isEvalSupported: false,
    // What is only for drawing is not fetched.
    useWasm: false,
    useWorkerFetch: false,
    disableFontFace: true,
    BinaryDataFactory: tables.Reader,
  });
  try {
    const document = await loading.promise.catch((error: unknown) => {
      throw new Error(t(reasonOf(error), { name }));
    });
    const pages: string[] = [];
    let characters = 0;
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = textOfPage(items.filter((item): item is typeof item & TextPiece => 'str' in item));
      page.cleanup();
      characters += text.length;
      if (characters > TEXT_LIMITS.characters) throw new Error(tooLong(name, t));
      pages.push(text);
    }
    // A page is read without its fonts too, and then words are missing.
    if (tables.isMissing()) throw new Error(t('files.tableMissing', { name }));
    const text = textOfPages(pages);
    if (text === '') throw new Error(t('files.noTextInPdf', { name }));
    return { text, pages: pages.length };
  } finally {
    await loading.destroy();
  }
}

function createTables() {
  let missing = false;
  /** PDF.js makes one for each document. It also asks for fonts, which are only for drawing. */
  class Reader {
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
      if (kind !== 'cMapUrl') throw new Error('nothing is drawn');
      const response = await fetch(TABLES[`${FOLDER}${filename}`] ?? '').catch(() => null);
      missing ||= !response?.ok;
      if (!response?.ok) throw new Error(`${filename} can not be fetched`);
      return new Uint8Array(await response.arrayBuffer());
    }
  }
  return { Reader, isMissing: () => missing };
}

function reasonOf(error: unknown): Key {
  const { name } = error as Error;
  if (name === 'PasswordException') return 'files.locked';
  if (name === 'InvalidPDFException') return 'files.brokenPdf';
  return 'files.notPdf';
}
