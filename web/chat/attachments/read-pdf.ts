import { GlobalWorkerOptions, getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import { t } from '../messages/language.ts';
import type { MessageKey } from '../messages/translate.ts';
import { type TextPiece, textOfPage, textOfPages } from './pdf-text.ts';
import { TEXT_LIMITS, tooLong } from './text-file.ts';

// PDF.js is large, so this module is only loaded when a PDF is given. Its worker is a file of our own site.
GlobalWorkerOptions.workerSrc = workerUrl;

const FOLDER = '../../../node_modules/pdfjs-dist/cmaps/';

/** The URLs of Adobe's character tables, by their paths. Some fonts for Chinese, Japanese or Korean need them. */
const TABLES = import.meta.glob<string>('../../../node_modules/pdfjs-dist/cmaps/*.bcmap', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Only errors go to the console: most warnings of PDF.js do not concern the text. */
const ERRORS_ONLY = 0;

/**
 * Reads the text of a PDF. Throws an `Error` whose message is for people. `data` can't be used afterwards: PDF.js moves
 * it to its worker.
 */
export async function readPdf(name: string, data: Uint8Array): Promise<{ text: string; pages: number }> {
  const tables = createTables();
  const loading = getDocument({
    data,
    verbosity: ERRORS_ONLY,
    // The page's policy allows no code from strings.
    isEvalSupported: false,
    // WebAssembly is needed for drawing only, so it is not fetched.
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
    // PDF.js reads a page without the table of a font too, but then the text lacks words.
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
  /**
   * Fetches the tables for PDF.js, which makes one reader for each document. Fonts are refused: they are needed for
   * drawing only.
   */
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

function reasonOf(error: unknown): MessageKey {
  const { name } = error as Error;
  if (name === 'PasswordException') return 'files.locked';
  if (name === 'InvalidPDFException') return 'files.brokenPdf';
  return 'files.notPdf';
}
