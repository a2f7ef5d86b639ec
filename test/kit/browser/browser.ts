import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';

/** No GPU, nothing of its own on the network, and no first-run screens; playwright adds `--headless` and the like. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A Chromium with a profile of its own. Its tabs share storage and service workers, as a user's do. */
export interface TestBrowser extends AsyncDisposable {
  context: BrowserContext;
  /** Its name and version. */
  version: string;
  /** Opens a tab at this address and waits for its load event. */
  open(url: string): Promise<Page>;
  /** The DevTools protocol of a tab, for what playwright has no word for. */
  devtools(page: Page): Promise<CDPSession>;
  /** Ends the browser and removes the profile. Also when it has crashed already. */
  close(): Promise<void>;
}

/**
 * Launches a headless Chromium: that of `PADDOCK_CHROMIUM`, else the one that comes as a package, else the system's.
 * `flags` are given to it besides the usual ones. `locale` is the tag of the language that its person reads.
 */
export async function launchBrowser({
  flags = [],
  locale = 'en-US',
}: {
  flags?: string[];
  locale?: string;
} = {}): Promise<TestBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'paddock-browser-'));
  const removeProfile = () => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  const context = await chromium
    .launchPersistentContext(profile, {
      executablePath: await findChromium(),
      headless: true,
      locale,
      args: [...FLAGS, ...flags],
    })
    .catch(async (error: unknown) => {
      await removeProfile();
      throw error;
    });
  const close = async () => {
    // It may be gone already.
    await context.close().catch(() => {});
    await removeProfile();
  };
  return {
    context,
    version: `Chromium ${context.browser()?.version()}`,
    open: async (url) => {
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
    devtools: (page) => context.newCDPSession(page),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The program that is launched. It unpacks the one of the package at its first call on a machine. */
export async function findChromium(): Promise<string> {
  const { PADDOCK_CHROMIUM } = process.env;
  if (PADDOCK_CHROMIUM) return PADDOCK_CHROMIUM;
  try {
    return await sparticuz.executablePath();
  } catch (error) {
    // The package holds a build for one kind of machine only.
    await access(SYSTEM_CHROMIUM).catch(() => {
      throw new Error('No Chromium runs here: name one in PADDOCK_CHROMIUM.', { cause: error });
    });
    return SYSTEM_CHROMIUM;
  }
}
