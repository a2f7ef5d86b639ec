import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { launchBrowser } from '../../test/kit/browser/browser.ts';
import { FIREFOX, launchFirefox } from '../../test/kit/browser/firefox.ts';
import { startServer } from '../../test/kit/servers/server.ts';
import { spread } from '../statistics.ts';
import { type Answered, startCompressingHost } from './compressing-host.ts';
import { openSlowLine } from './slow-line.ts';

/**
 * Measures a first visit to the chat page over a slow line, in Chromium and in Firefox: the time until the user can
 * type, the time to the first token of the reply to a message that is typed at once, and the bytes over the line. The
 * pages are that of a static site, whose engine runs in the browser, and that of a server. Each visit has a new
 * profile. The visits alternate.
 */
const { values } = parseArgs({
  options: {
    visits: { type: 'string', default: '3' },
    // Bytes per second.
    rate: { type: 'string', default: '1000000' },
    // For a host that does not compress.
    uncompressed: { type: 'boolean', default: false },
    // Measures only one of the two pages.
    page: { type: 'string' },
  },
});
const rate = Number(values.rate);

/** A visit ends once the line has been silent for this long, in ms: the site stores files for the next visit. */
const SILENCE_MS = 3000;
const LIMIT_MS = 120_000;

/** The part of a page that the two conditions below read. */
interface ChatPage {
  document: { querySelector(selector: string): { textContent: string } | null };
}

/** Runs in the page: true if the user can type. */
const canType = () => (globalThis as unknown as ChatPage).document.querySelector('#message') !== null;

/** Runs in the page: true if a reply has begun. */
const hasToken = () => {
  const prose = (globalThis as unknown as ChatPage).document.querySelector('article.reply .prose');
  return prose !== null && prose.textContent.trim() !== '';
};

/** The part of a tab that both browser drivers have. */
interface Tab {
  goto(url: string, options: { waitUntil: 'domcontentloaded' }): Promise<unknown>;
  waitUntil(condition: () => boolean): Promise<unknown>;
  type(selector: string, text: string): Promise<void>;
  keyboard: { press(key: 'Enter'): Promise<void> };
}

/** The results of a visit, in seconds since the navigation and in bytes. */
interface Visit {
  typed: number;
  /** The time of the last byte before the first token. */
  fetched: number;
  token: number;
  bytesToToken: number;
  bytes: number;
}

interface Visitor {
  name: string;
  /** Opens a tab in a new profile, gives it to `act`, and closes the browser. Returns the browser's version. */
  inNewProfile(act: (tab: Tab) => Promise<void>): Promise<string>;
}

const CHROMIUM: Visitor = {
  name: 'Chromium',
  inNewProfile: async (act) => {
    await using browser = await launchBrowser();
    const page = await browser.context.newPage();
    await act({
      goto: (url, options) => page.goto(url, options),
      waitUntil: (condition) => page.waitForFunction(condition, undefined, { timeout: LIMIT_MS }),
      type: (selector, text) => page.locator(selector).pressSequentially(text),
      keyboard: page.keyboard,
    });
    return browser.version;
  },
};

const IN_FIREFOX: Visitor = {
  name: 'Firefox',
  inNewProfile: async (act) => {
    await using firefox = await launchFirefox();
    const { page } = await firefox.open('about:blank');
    await act({
      goto: (url, options) => page.goto(url, options),
      waitUntil: (condition) => page.waitForFunction(condition, { timeout: LIMIT_MS }),
      type: (selector, text) => page.type(selector, text),
      keyboard: page.keyboard,
    });
    return await page.browser().version();
  },
};

interface Served {
  name: string;
  port: number;
  takeAnswers: () => Answered[];
}

async function visit(visitor: Visitor, { port }: Served): Promise<Visit & { version: string }> {
  await using line = await openSlowLine(port, rate);
  const result: Visit = { typed: 0, fetched: 0, token: 0, bytesToToken: 0, bytes: 0 };
  const version = await visitor.inNewProfile(async (tab) => {
    const start = performance.now();
    const seconds = () => (performance.now() - start) / 1000;
    await tab.goto(`http://127.0.0.1:${line.port}/`, { waitUntil: 'domcontentloaded' });
    await tab.waitUntil(canType);
    await tab.type('#message', 'Hi');
    await tab.keyboard.press('Enter');
    result.typed = seconds();
    await tab.waitUntil(hasToken);
    result.token = seconds();
    result.fetched = (line.lastAt() - start) / 1000;
    result.bytesToToken = line.bytes();
    while (result.bytes !== line.bytes()) {
      result.bytes = line.bytes();
      await setTimeout(SILENCE_MS);
    }
  });
  return { ...result, version };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns the largest answers, and the files that were sent more than once. */
function describe(answers: Answered[]): string {
  const paths = answers.map(({ path }) => path);
  const twice = [...new Set(paths.filter((path, index) => paths.indexOf(path) !== index))];
  const parts = answers
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(0, 6)
    .map(({ path, bytes, encoding }) => `${path} ${(bytes / 1e6).toFixed(2)} MB ${encoding ?? 'as it is'}`);
  return `${answers.length} files: ${parts.join(', ')}; more than once: ${twice.join(', ') || 'none'}`;
}

if (!existsSync('dist-web')) throw new Error('There is no dist-web: npm run build makes it.');
if (FIREFOX === null) print('No Firefox is here, so it is left out: name one in PADDOCK_FIREFOX.');
await using host = await startCompressingHost(!values.uncompressed);
const server = await startServer(['--threads', '1', '--log-level', 'warn']);
try {
  // A server usually has its model in memory already.
  const body = JSON.stringify({ model: 'pico', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 });
  const warm = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (!warm.ok) throw new Error(`The server does not answer: ${await warm.text()}`);
  const pages: Served[] = [
    { name: 'static site', port: host.port, takeAnswers: host.takeAnswers },
    { name: 'server', port: Number(new URL(server.url).port), takeAnswers: () => [] },
  ].filter(({ name }) => values.page === undefined || name === values.page);
  const visitors = [CHROMIUM, ...(FIREFOX === null ? [] : [IN_FIREFOX])];
  const kinds = pages.flatMap((page) =>
    visitors.map((visitor) => ({ page, visitor, visits: [] as Visit[], version: '' })),
  );
  for (let round = 0; round < Number(values.visits); round++) {
    for (const kind of kinds) {
      const { version, ...result } = await visit(kind.visitor, kind.page);
      kind.visits.push(result);
      kind.version = version;
      const answers = kind.page.takeAnswers();
      if (round === 0 && answers.length > 0) print(`${kind.page.name}, ${version}: ${describe(answers)}`);
    }
  }
  print(
    `\n${rate / 1e6} MB/s, ${cpus().length} x ${cpus()[0]?.model}; ${values.visits} first visits each by turns; median (range)\n`,
  );
  print('| Page | Browser | Typed after, s | Fetched after, s | First token after, s | MB until then | MB in all |');
  print('|---|---|---|---|---|---|---|');
  for (const { page, version, visits } of kinds) {
    const column = (value: (visit: Visit) => number, digits: number) => spread(visits.map(value), digits);
    const cells = [
      column(({ typed }) => typed, 1),
      column(({ fetched }) => fetched, 1),
      column(({ token }) => token, 1),
      column(({ bytesToToken }) => bytesToToken / 1e6, 2),
      column(({ bytes }) => bytes / 1e6, 2),
    ];
    print(`| ${[page.name, version, ...cells].join(' | ')} |`);
  }
} finally {
  await server.stop();
}
