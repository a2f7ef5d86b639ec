import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { plainPng } from '../../../kit/files/media.ts';
import { writePdf } from '../../../kit/files/pdf.ts';
import { type GivenFile, give } from '../give-files.ts';
import { listedModel, type StandIn, startStandIn } from '../stand-in.ts';
import {
  ask,
  bubbles,
  chooseModel,
  failuresOf,
  messageField,
  openChat,
  reload,
  replies,
  textOf,
  visitAnew,
} from '../support.ts';

const text = (name: string, words: string | Buffer, mimeType = ''): GivenFile => ({
  name,
  mimeType,
  buffer: Buffer.from(words),
});

const code = text('sum.py', 'print(1 + 1)\n');
const picture: GivenFile = { name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(plainPng([200, 30, 30])) };
const pdf = (name: string, pages: (string | Uint8Array)[][]) => text(name, writePdf(pages), 'application/pdf');
/** 2,001 characters: one more than stay in the message. */
const LONG = `The beginning.\n${'a word '.repeat(300)}`.slice(0, 2_001);

vi.setConfig({ testTimeout: 60_000 });

let server: StandIn;
let browser: TestBrowser;
let page: Page;
let failures: string[];

beforeAll(async () => {
  server = await startStandIn([listedModel('Words'), listedModel('Eyes', { vision: true })]);
  browser = await launchBrowser();
  page = await openChat(browser.open, server.url);
  failures = failuresOf(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(async () => {
  await visitAnew(browser, page, server.url);
  await chooseModel(page, 'Words');
  await page.getByRole('dialog', { name: 'Models' }).waitFor({ state: 'hidden' });
});

const attached = () => page.getByRole('list', { name: 'Attached' });
const problem = () => page.locator('.composer [role=alert]');
const attach = (...files: GivenFile[]) => page.getByLabel(/^Attach /).setInputFiles(files);
const card = (name: string) => attached().getByRole('figure').filter({ hasText: name });

/** Returns the content of the last message in the request that `act` causes. */
async function contentOf(act: () => Promise<unknown>) {
  const [request] = await Promise.all([page.waitForRequest('**/v1/chat/completions'), act()]);
  return request.postDataJSON().messages.at(-1).content;
}

describe('files of text', () => {
  it('become cards, go to the model by their names, and stay with the message, folded', async () => {
    await attach(code, text('notes.txt', Buffer.from('\ufeffGrüße', 'utf16le')));
    expect(await textOf(card('sum.py'))).toMatch(/sum\.py13 B, 1 lineprint\(1 \+ 1\)/);
    await page.getByRole('status').getByText('2 files attached.').waitFor({ state: 'attached' });
    const said = 'File: sum.py\n\n```py\nprint(1 + 1)\n\n```\n\nFile: notes.txt\n\n```txt\nGrüße\n```\n\nWhat is it?';
    await messageField(page).fill('What is it?');
    expect(await contentOf(() => messageField(page).press('Enter'))).toBe(said);
    await replies(page).getByText('I see.').waitFor();
    expect(await attached().count()).toBe(0);

    await reload(page);
    expect(await bubbles(page)).toEqual(['What is it?']);
    const sent = page.locator('.said details');
    expect(await sent.count()).toBe(2);
    await sent.first().locator('summary').click();
    expect(await textOf(page.getByRole('region', { name: 'sum.py' }))).toBe('print(1 + 1)\n');
    // A later question has it before it.
    const [request] = await Promise.all([page.waitForRequest('**/v1/chat/completions'), ask(page, 'And now?')]);
    expect(request.postDataJSON().messages[0].content).toBe(said);
  });

  it('are kept in the draft, and can be dropped, pasted and removed', async () => {
    await give(page.locator('body'), ['dragover', 'drop'], [code]);
    await card('sum.py').waitFor();
    await give(messageField(page), ['paste'], [text('a.csv', Buffer.from([0x93, 0x61, 0x94, 0x2c, 0x80]))]);
    await card('a.csv').waitFor();
    await reload(page);
    await card('a.csv').waitFor();
    await attached().getByRole('button', { name: 'Remove sum.py' }).press('Enter');
    await card('sum.py').waitFor({ state: 'detached' });
    expect(await contentOf(() => messageField(page).press('Enter'))).toBe('File: a.csv\n\n```csv\n“a”,€\n```');
    expect(await page.getByRole('heading', { name: 'a.csv' }).count()).toBe(0);
    await page.getByRole('navigation').getByRole('button', { name: 'a.csv', exact: true }).waitFor();
  });

  it.each([
    [
      'a binary file',
      text('a.zip', Buffer.from('PK\x03\x04\0\0')),
      /“a\.zip” is a file of the type ZIP: only text, code/,
    ],
    ['an empty file', text('a.txt', ' \n'), /“a\.txt” is empty/],
    ['too many bytes', text('a.log', Buffer.alloc(4e6 + 1, 'a')), /“a\.log” is too large.*4 MB/],
    ['too many characters', text('a.log', Buffer.alloc(1e6 + 1, 'a')), /“a\.log” is too long.*1,000,000 characters/],
    ['a broken PDF', text('a.pdf', '%PDF-1.7\nand no more'), /“a\.pdf” is a broken PDF/],
    ['a PDF without text', pdf('a.pdf', [[], []]), /“a\.pdf” has no text in it: its pages may be pictures/],
  ])('are refused with a message: %s', async (_, file, message) => {
    await attach(file);
    await problem().waitFor();
    expect(await textOf(problem())).toMatch(message);
    expect(await attached().count()).toBe(0);
  });
});

describe('a PDF', () => {
  it('goes to the model as the text of its pages, also in Japanese without its fonts', async () => {
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const japanese = Buffer.from([0x82, 0xa0, 0x93, 0xfa, 0x96, 0x7b]);
    await attach(pdf('paper.pdf', [['Page one.', 'Line two.'], [japanese]]));
    await card('paper.pdf').waitFor();
    expect(await textOf(card('paper.pdf'))).toMatch(/2 pages\[Page 1\]/);
    expect(await contentOf(() => messageField(page).press('Enter'))).toBe(
      'File: paper.pdf\n\n```pdf\n[Page 1]\nPage one.\nLine two.\n\n[Page 2]\nあ日本\n```',
    );
    expect(requests).toEqual(expect.arrayContaining(['/assets/pdf/read-pdf.js', '/assets/pdf/pdf.worker.min.js']));
    // Only those who give a PDF fetch that.
    await page.reload();
    requests.length = 0;
    await attach(code);
    await card('sum.py').waitFor();
    expect(requests.filter((path) => path.includes('pdf'))).toEqual([]);
  });
});

describe('a paste', () => {
  it('that is long becomes a file, and goes into the text at a click', async () => {
    await messageField(page).fill('Before: ');
    await give(messageField(page), ['paste'], [], LONG);
    await card('Pasted text.txt').waitFor();
    await give(messageField(page), ['paste'], [], `${LONG}!`);
    await card('Pasted text 2.txt').getByRole('button', { name: 'Put it in the text' }).click();
    await card('Pasted text 2.txt').waitFor({ state: 'detached' });
    expect(await messageField(page).inputValue()).toBe(`Before: ${LONG}!`);
    await messageField(page).fill('What does it say?');
    expect(await contentOf(() => messageField(page).press('Enter'))).toBe(
      `File: Pasted text.txt\n\n\`\`\`txt\n${LONG}\n\`\`\`\n\nWhat does it say?`,
    );
  });

  it('that is short stays a paste', async () => {
    await give(messageField(page), ['paste'], [], LONG.slice(1));
    // A made event pastes nothing by itself.
    await give(messageField(page), ['paste'], [code]);
    await card('sum.py').waitFor();
    expect(await attached().getByRole('listitem').count()).toBe(1);
  });
});

describe('what is attached to a sent message', () => {
  it('can be removed: the message without it is another version', async () => {
    await chooseModel(page, 'Eyes');
    await attach(code, picture);
    await attached().getByRole('img').waitFor();
    await card('sum.py').waitFor();
    await ask(page, 'Look.');
    await page.getByRole('button', { name: 'Edit and send again' }).click();
    await page.locator('.editor').getByRole('button', { name: 'Remove sum.py' }).click();
    expect(await contentOf(() => page.getByRole('button', { name: 'Send again' }).click())).toMatchObject([
      { type: 'image_url' },
      { type: 'text', text: 'Look.' },
    ]);
    await page.locator('.said').getByText('2/2').waitFor();
    expect(await page.locator('.said details').count()).toBe(0);
    await page.locator('.said').getByRole('button', { name: 'Version before' }).click();
    await page.locator('.said details').waitFor();
  });
});

it('the page had no errors, and no violations of its own policy', () => {
  expect(failures).toEqual([]);
});
