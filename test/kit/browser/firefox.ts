import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { expect } from 'vitest';

const SYSTEM_FIREFOX = '/usr/bin/firefox-esr';

/** The driver can't click on a page with a script policy, nor set its size, in older versions. */
const OLDEST_DRIVEN = 153;

/** The path of a Firefox that tests can drive: the one in `PADDOCK_FIREFOX`, else Debian's; null if there is none. */
export const FIREFOX: string | null = findFirefox();

function findFirefox(): string | null {
  const path = process.env.PADDOCK_FIREFOX ?? SYSTEM_FIREFOX;
  if (!existsSync(path)) return null;
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' });
  return Number(/Firefox (\d+)/.exec(version)?.[1]) >= OLDEST_DRIVEN ? path : null;
}

/** A Firefox with a new profile. */
export interface TestFirefox extends AsyncDisposable {
  /** Opens a tab at this address. */
  open(url: string): Promise<FirefoxTab>;
}

/** A tab with the chat page. */
export interface FirefoxTab {
  page: Page;
  /** The uncaught errors of the page. */
  errors: string[];
  /** Waits until the text of the page matches, and returns the whole text. */
  untilText(pattern: RegExp): Promise<string>;
  /** Clicks the element with this accessible name. */
  click(name: string): Promise<void>;
  /** Types a text into the message field and presses Enter. */
  say(text: string): Promise<void>;
  /** Waits until the message field has this text. */
  untilDraft(text: string): Promise<void>;
}

/** Launches a headless Firefox with these preferences, by WebDriver BiDi. */
export async function launchFirefox(preferences: Record<string, unknown> = {}): Promise<TestFirefox> {
  if (FIREFOX === null) throw new Error(`No Firefox ${OLDEST_DRIVEN} or newer is here: name one in PADDOCK_FIREFOX.`);
  const browser: Browser = await launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    extraPrefsFirefox: preferences,
  });
  return {
    open: async (url) => openTab(browser, url),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function openTab(browser: Browser, url: string): Promise<FirefoxTab> {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  // The driver's wait functions evaluate text as code in the page, which the page's policy forbids in some versions.
  const until = (condition: string) => expect.poll(() => page.evaluate(condition), { timeout: 60_000 }).toBe(true);
  return {
    page,
    errors,
    async untilText(pattern) {
      await until(`${pattern}.test(document.body.innerText)`);
      return String(await page.evaluate('document.body.innerText'));
    },
    click: (name) => page.locator(`aria/${name}`).click(),
    say: async (text) => {
      await page.type('#message', text);
      await page.keyboard.press('Enter');
    },
    untilDraft: async (text) => {
      await until(`document.querySelector('#message')?.value === ${JSON.stringify(text)}`);
    },
  };
}
