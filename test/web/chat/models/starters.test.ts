import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fittingStarters, greetedStarters, type OfferedStarter } from '../../../../web/chat/models/starter.ts';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import type { RunningServer } from '../../../kit/servers/server.ts';
import { startHub, type TestHub } from '../../../kit/servers/test-hub.ts';
import { startChatServer } from '../grounds.ts';
import { modelsDialog, openChat, openModels } from '../support.ts';

vi.setConfig({ testTimeout: 90_000 });

function starter(name: string, more: Partial<OfferedStarter> = {}): OfferedStarter {
  return {
    name,
    title: name,
    kind: 'chat',
    licence: 'MIT',
    source: `hf:org/${name}`,
    size: 1,
    size_is_exact: true,
    memory: 1,
    fit: 'fits',
    tokens_per_second: null,
    best: false,
    pulled: false,
    ...more,
  };
}

describe('the starter models of the greeting', () => {
  it('are the best, and the two largest chat models below it', () => {
    const all = [
      starter('best', { best: true, memory: 5 }),
      starter('tiny', { memory: 1 }),
      starter('small', { memory: 2 }),
      starter('medium', { memory: 3 }),
      starter('larger', { memory: 9 }),
      starter('eyes', { kind: 'vision', memory: 4 }),
      starter('huge', { memory: 50, fit: 'too_large' }),
    ];
    expect(greetedStarters(all).map(({ name }) => name)).toEqual(['best', 'medium', 'small']);
    expect(fittingStarters(all)).toHaveLength(6);
  });

  it('are none if none is recommended, and none that is here', () => {
    expect(greetedStarters([starter('a'), starter('b')])).toEqual([]);
    const pulled = [starter('best', { best: true, pulled: true }), starter('other')];
    expect(greetedStarters(pulled)).toEqual([]);
  });
});

describe('the page of a fresh server', () => {
  let home: string;
  let hub: TestHub;
  let server: RunningServer;
  let browser: TestBrowser;
  let page: Page;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'paddock-starters-'));
    hub = await startHub();
    const pico = await readFile('models/pico/pico.gguf');
    hub.put('Qwen/Qwen3-0.6B-GGUF', 'Qwen3-0.6B-Q8_0.gguf', pico);
    server = await startChatServer(['--allow-private-sources'], {
      models: join(home, 'models'),
      env: { HF_ENDPOINT: hub.url, PADDOCK_HOME: home },
    });
    browser = await launchBrowser();
    page = await openChat(browser.open, server.url);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await hub?.close();
    await rm(home, { recursive: true });
  });

  it('offers models in the greeting, with their size, memory and speed, and fetches none', async () => {
    const offered = page.locator('.greeting').getByRole('region', { name: 'Models to begin with' });
    await offered.getByText('best here').waitFor();
    const [first] = await offered.getByRole('listitem').allTextContents();
    expect(first).toMatch(/best here.*chat · [\d.]+ [MG]B · [\d.]+ GB of memory · [\d.,]+ to [\d.,]+ tokens\/s · /);
    expect(hub.requests).toEqual([]);
  });

  it('lists all that fit in the dialog, and pulls one at a click', async () => {
    await openModels(page);
    const list = modelsDialog(page).getByRole('region', { name: 'Models to begin with' });
    await list.getByText('Qwen3 0.6B').waitFor();
    expect(await list.getByText('ranks documents').count()).toBe(1);
    await list.getByRole('button', { name: 'Pull qwen3:0.6b' }).click();
    await page.getByText('Pico is ready.').waitFor();
    const row = list.getByRole('listitem').filter({ hasText: 'Qwen3 0.6B' });
    await row.getByText('already here').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('.greeting').getByRole('region', { name: 'Models to begin with' }).count()).toBe(0);
  });

  it('finds a starter model by its name in the search field', async () => {
    await openModels(page);
    await modelsDialog(page).getByRole('searchbox').fill('qwen3:0.6b');
    await modelsDialog(page).getByRole('button', { name: 'Find' }).click();
    await modelsDialog(page).getByRole('region', { name: 'Variants of Qwen/Qwen3-0.6B-GGUF' }).waitFor();
  });
});
