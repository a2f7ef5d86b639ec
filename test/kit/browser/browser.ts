import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { V8_FLAGS } from '../v8-flags.ts';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';

/** No requests of the browser's own, and no first-run screens. Playwright adds `--headless` and other flags. */
const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** WebGPU on the machine's Vulkan driver, without a display. */
const GPU_FLAGS = [
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-vulkan=native',
  '--use-angle=vulkan',
  '--disable-vulkan-surface',
  '--ignore-gpu-blocklist',
];

/** A Chromium with a new profile. Its tabs share storage and service workers, as the tabs of a user do. */
export interface TestBrowser extends AsyncDisposable {
  context: BrowserContext;
  /** The name and version of the browser. */
  version: string;
  /** Opens a tab at this address and waits for its load event. */
  open(url: string): Promise<Page>;
  /** Opens a session of the DevTools protocol for a tab, for features that playwright lacks. */
  devtools(page: Page): Promise<CDPSession>;
  /** Ends the browser, even if it has crashed, and removes the profile. */
  close(): Promise<void>;
}

/**
 * Launches a headless Chromium: the one in `PADDOCK_CHROMIUM`, else the one of the npm package, else the system's.
 * It uses the graphics card if `PADDOCK_CHROMIUM_GPU` is set. `flags` are added to the usual flags. `locale` is the
 * language tag of the user. Throws if there is no Chromium.
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
      args: [...FLAGS, `--js-flags=${V8_FLAGS.join(' ')}`, ...(usesCard() ? GPU_FLAGS : ['--disable-gpu']), ...flags],
    })
    .catch(async (error: unknown) => {
      await removeProfile();
      throw error;
    });
  const close = async () => {
    // The browser may have crashed.
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

/** Returns true if browsers that are launched use the graphics card. */
export function usesCard(): boolean {
  return Boolean(process.env.PADDOCK_CHROMIUM_GPU);
}

/**
 * Returns the path of the Chromium to launch. The first call on a machine unpacks the npm package. Throws if there is
 * none.
 */
export async function findChromium(): Promise<string> {
  const { PADDOCK_CHROMIUM } = process.env;
  if (PADDOCK_CHROMIUM) return PADDOCK_CHROMIUM;
  try {
    return await sparticuz.executablePath();
  } catch (error) {
    // The package has a build for one processor architecture only.
    await access(SYSTEM_CHROMIUM).catch(() => {
      throw new Error('No Chromium runs here: name one in PADDOCK_CHROMIUM.', { cause: error });
    });
    return SYSTEM_CHROMIUM;
  }
}
