import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { expect } from 'vitest';

const SYSTEM_FIREFOX = '/usr/bin/firefox-esr';

/** In older ones the driver can't click on a page with a policy for scripts, nor set its size. */
const OLDEST_DRIVEN = 153;

/** Where a Firefox is that tests can drive: that of `PADDOCK_FIREFOX`, else Debian's; null if there is none. */
export const FIREFOX: string | null = findFirefox();

function findFirefox(): string | null {
  const path = process.env.PADDOCK_FIREFOX ?? SYSTEM_FIREFOX;
  if (!existsSync(path)) return null;
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' });
  return Number(/Firefox (\d+)/.exec(version)?.[1]) >= OLDEST_DRIVEN ? path : null;
}

/** A Firefox with a profile of its own. */
export interface TestFirefox extends AsyncDisposable {
  /** Opens a tab at this address. */
  open(url: string): Promise<FirefoxTab>;
}

/** A tab with the chat page. */
export interface FirefoxTab {
  page: Page;
  /** The errors that the page did not catch. */
  errors: string[];
  /** Waits until this text is on the page, and gives the whole text of the page. */
  untilText(pattern: RegExp): Promise<string>;
  /** Clicks what has this accessible name. */
  click(name: string): Promise<void>;
  /** Types a text into the message and presses Enter. */
  say(text: string): Promise<void>;
  /** Waits until this is written in the message field. */
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
  // The driver's own waiting makes functions of text in the page, which its policy forbids in some versions.
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
