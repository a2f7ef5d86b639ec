import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Head } from '../../../../web/chat/conversation/tree/tree.ts';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { listedModel, type StandIn, startStandIn } from '../stand-in.ts';
import { bubbles, chat, conversationOf, importChats, openChat, readStored, replies, say, textOf } from '../support.ts';

vi.setConfig({ testTimeout: 60_000 });

let server: StandIn;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  server = await startStandIn([listedModel('Words')]);
});
afterAll(async () => {
  await server?.stop();
});
beforeEach(async () => {
  browser = await launchBrowser();
  page = await openChat(browser.open, server.url);
  const chats = [
    conversationOf('Bread', 'Flour, water and time.'),
    conversationOf('Soup', 'Onions, then water.'),
    conversationOf('Poems', 'Roses are red.'),
  ].map((one, index) => ({ ...one, updatedAt: Date.now() - index * 1000 }));
  await importChats(page, chats);
  await page.getByText('Imported 3 chats.').waitFor();
  return () => browser.close();
});

const titles = (tab = page) => tab.locator('.chat-open:not(.folder-open)').allInnerTexts();
const folders = (tab = page) => tab.locator('.folder-open').allInnerTexts();
/** The titles of the chats that are stored and not deleted: a page that is loaded again loses what is still being stored. */
const storedTitles = async () => {
  const heads = await readStored<Head>(page, 'heads');
  return heads
    .filter(({ deleted }) => !deleted.value)
    .map(({ title }) => title.value)
    .toSorted();
};
const search = () => page.getByRole('searchbox', { name: 'Search chats' });
const more = async (title: string, action: string) => {
  await page.getByRole('button', { name: `More about ${title}` }).click();
  await page
    .getByRole('group', { name: `More about ${title}` })
    .getByRole('button', { name: action })
    .click();
};
const download = async (act: () => Promise<unknown>): Promise<Download> => {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return file;
};

describe('the search', () => {
  it('finds titles and what was said, whatever the case, and shows the words around', async () => {
    expect(await titles()).toEqual(['Bread', 'Soup', 'Poems']);
    await search().fill('WATER');
    await expect.poll(() => titles()).toEqual(['Bread', 'Soup']);
    expect(await page.locator('.chat-excerpt').allInnerTexts()).toEqual([
      'Flour, water and time.',
      'Onions, then water.',
    ]);
    await page.getByRole('status').getByText('2 chats were found.').waitFor({ state: 'attached' });
    await search().fill('poem');
    await expect.poll(() => titles()).toEqual(['Poems']);
    await search().fill('nobody said this');
    await page.getByText('Nothing was found.').waitFor();
    expect(await titles()).toEqual([]);
    await search().press('Escape');
    expect(await titles()).toEqual(['Bread', 'Soup', 'Poems']);
  });

  it('finds what was said before the page was loaded, and not what was deleted', async () => {
    await page.reload();
    await page.getByRole('button', { name: 'Delete Soup' }).click();
    await search().fill('water');
    await expect.poll(() => titles()).toEqual(['Bread']);
    await chat(page, 'Bread').click();
    await replies(page).getByText('Flour, water and time.').waitFor();
  });
});

describe('what was found', () => {
  /** True if the words that are marked are in view, and the turn around them has the focus. */
  const isShown = () =>
    page.evaluate(() => {
      const [range] = CSS.highlights.get('found') ?? [];
      const turn = document.activeElement;
      if (!(range instanceof Range) || !turn?.matches('[data-found]') || !range.intersectsNode(turn)) return null;
      const { top, bottom } = range.getBoundingClientRect();
      return top > 0 && bottom < innerHeight ? range.toString() : null;
    });

  it('is shown on its branch', async () => {
    await chat(page, 'Bread').click();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('2/2').waitFor();
    await chat(page, 'Soup').click();
    await search().fill('WATER and');
    await chat(page, 'Bread').click();
    await page.getByText('1/2').waitFor();
    await expect.poll(isShown).toBe('water and');
    await search().fill('');
    await chat(page, 'Soup').click();
    await expect.poll(() => page.locator('[data-found]').count()).toBe(0);
  });

  it('is shown far up in a long chat, and within a file, which the list names', async () => {
    const lines = Array.from({ length: 400 }, (_, line) => (line === 300 ? 'Take cinnamon.' : `Line ${line}`));
    const { turns, ...rest } = conversationOf('Long', 'Words. '.repeat(2000));
    const [question, reply] = turns;
    const files = [
      { name: 'other.txt', size: 3, text: 'Other' },
      { name: 'cake.txt', size: 5000, text: lines.join('\n') },
    ];
    await importChats(page, [{ ...rest, turns: [{ ...question, text: 'Bake **it**', files }, reply] }]);
    await search().fill('cinnamon');
    await expect.poll(() => titles()).toEqual(['Long']);
    expect(await page.locator('.chat-excerpt').textContent()).toMatch(/^In cake.txt: ….*Take cinnamon\. Line 301/);
    await chat(page, 'Long').click();
    await expect.poll(isShown).toBe('cinnamon');
    expect(await page.locator('.sent-file[open]').count()).toBe(1);
  });
});

describe('a chat in the list', () => {
  it('is renamed, by Enter or by leaving the field, and not by Escape', async () => {
    await more('Soup', 'Rename');
    const field = page.getByRole('textbox', { name: 'Title of Soup' });
    await field.fill('Stew');
    await field.press('Escape');
    expect(await titles()).toEqual(['Bread', 'Soup', 'Poems']);
    expect(await chat(page, 'Soup').evaluate((button) => button === document.activeElement)).toBe(true);
    await more('Soup', 'Rename');
    await field.fill('Stew');
    await field.press('Enter');
    await expect.poll(() => titles()).toEqual(['Bread', 'Stew', 'Poems']);
    await more('Poems', 'Rename');
    await page.getByRole('textbox', { name: 'Title of Poems' }).fill('Verses');
    await search().focus();
    await expect.poll(storedTitles).toEqual(['Bread', 'Stew', 'Verses']);
    await page.reload();
    await expect.poll(() => titles()).toEqual(['Bread', 'Stew', 'Verses']);
  });

  it('stands first while it is pinned, in all tabs and after a reload', async () => {
    const other = await openChat(browser.open, server.url);
    await more('Poems', 'Pin');
    for (const tab of [page, other]) await expect.poll(() => titles(tab)).toEqual(['Poems', 'Bread', 'Soup']);
    const pins = async () => (await readStored<Head>(page, 'heads')).filter(({ pinned }) => pinned?.value);
    await expect.poll(pins).toHaveLength(1);
    await page.reload();
    await page.getByRole('img', { name: 'Pinned' }).waitFor();
    await more('Poems', 'Unpin');
    for (const tab of [page, other]) await expect.poll(() => titles(tab)).toEqual(['Bread', 'Soup', 'Poems']);
  });

  it('has a mark while it is answered, in all tabs', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/chat/completions', async (route) => {
      await held;
      await route.continue();
    });
    const other = await openChat(browser.open, server.url);
    await page.getByRole('button', { name: 'New chat' }).click();
    await say(page, 'Think');
    for (const tab of [page, other]) {
      const row = tab.getByRole('listitem').filter({ has: tab.getByRole('button', { name: 'Think', exact: true }) });
      await row.getByRole('img', { name: 'Being answered' }).waitFor();
    }
    release();
    for (const tab of [page, other])
      await tab.getByRole('img', { name: 'Being answered' }).waitFor({ state: 'detached' });
  });

  it('is saved alone as Markdown, and as JSON that can be imported', async () => {
    const markdown = await download(() => more('Bread', 'Save as Markdown'));
    expect(markdown.suggestedFilename()).toBe('Bread.md');
    expect(await readFile(await markdown.path(), 'utf8')).toBe(
      '# Bread\n\n## You\n\nShow me.\n\n## pico\n\nFlour, water and time.\n',
    );
    const json = await download(() => more('Bread', 'Save as JSON'));
    expect(json.suggestedFilename()).toBe('Bread.json');
    const path = await json.path();
    for (const title of await titles()) await page.getByRole('button', { name: `Delete ${title}` }).click();
    await page.getByLabel('Import chats').setInputFiles(path);
    await chat(page, 'Bread').click();
    await replies(page).getByText('Flour, water and time.').waitFor();
    expect(await titles()).toEqual(['Bread']);
  });
});

describe('a folder', () => {
  /** Each folder with its number of chats, and each chat that is shown. */
  const shown = async (tab = page) => {
    const names = await folders(tab);
    return [...names.map((name) => name.replace(/\s+/, ' ')), ...(await titles(tab))];
  };
  const stored = async () =>
    Object.fromEntries(
      (await readStored<Head>(page, 'heads')).map(({ title, folder }) => [title.value, folder?.value ?? '']),
    );
  const moreOf = async (name: string, action: RegExp) => {
    await page.getByRole('button', { name: `More about the folder ${name}` }).click();
    await page
      .getByRole('group', { name: `More about the folder ${name}` })
      .getByRole('button', { name: action })
      .click();
  };

  it('is made by moving a chat, closes and opens, is renamed and removed, in all tabs', async () => {
    const other = await openChat(browser.open, server.url);
    expect(await page.locator('.folder').count()).toBe(0);
    await more('Poems', 'Move to a folder…');
    const newFolder = page.getByRole('textbox', { name: 'New folder' });
    expect(await newFolder.getAttribute('maxlength')).toBe('60');
    await newFolder.fill('Kitchen');
    await page.keyboard.press('Enter');
    for (const tab of [page, other])
      await expect.poll(() => shown(tab)).toEqual(['Kitchen 1', 'Poems', 'Bread', 'Soup']);
    await expect.poll(() => chat(page, 'Poems').evaluate((one) => one === document.activeElement)).toBe(true);

    // The others are moved at once. Then the chat that is wrong there is taken out.
    await page.getByRole('button', { name: 'Select chats to delete or move' }).click();
    await page.getByRole('checkbox', { name: 'Bread' }).check();
    await page.getByRole('checkbox', { name: 'Soup' }).check();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('group', { name: 'Move to a folder' }).getByRole('button', { name: 'Kitchen' }).click();
    await expect.poll(() => shown()).toEqual(['Kitchen 3', 'Bread', 'Soup', 'Poems']);
    await more('Poems', 'Move to a folder…');
    await page.getByRole('button', { name: 'Out of the folder' }).click();
    for (const tab of [page, other])
      await expect.poll(() => shown(tab)).toEqual(['Kitchen 2', 'Bread', 'Soup', 'Poems']);

    await moreOf('Kitchen', /^Rename$/);
    const newName = page.getByRole('textbox', { name: 'Name of the folder Kitchen' });
    expect(await newName.getAttribute('maxlength')).toBe('60');
    await newName.fill('Food');
    await page.keyboard.press('Enter');
    await expect.poll(() => folders(other)).toEqual([expect.stringMatching(/^Food/)]);
    await expect.poll(stored).toEqual({ Bread: 'Food', Soup: 'Food', Poems: '' });

    await page.locator('.folder-open').press('Enter');
    await expect.poll(() => shown()).toEqual(['Food 2', 'Poems']);
    await page.reload();
    await expect.poll(() => shown()).toEqual(['Food 2', 'Poems']);
    // A search shows what is found in closed folders too, and finds folders by their names.
    await search().fill('onions');
    await expect.poll(() => shown()).toEqual(['Food 1', 'Soup']);
    await search().fill('food');
    await expect.poll(() => shown()).toEqual(['Food 2', 'Bread', 'Soup']);
    await search().fill('');

    await moreOf('Food', /^Remove the folder/);
    for (const tab of [page, other]) await expect.poll(() => shown(tab)).toEqual(['Bread', 'Soup', 'Poems']);
    await page.getByRole('button', { name: 'Undo' }).click();
    for (const tab of [page, other]) await expect.poll(() => folders(tab)).toHaveLength(1);

    await moreOf('Food', /^New chat in it$/);
    await say(page, 'Cake');
    await expect.poll(stored).toMatchObject({ Cake: 'Food' });
  });
});

describe('the list of chats on a phone', () => {
  const list = () => page.getByRole('dialog', { name: 'Chats' });
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  beforeEach(async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole('button', { name: 'Chats', exact: true }).click();
  });

  it('offers to undo a deletion, and keeps the focus near', async () => {
    await list().getByRole('button', { name: 'Delete Bread' }).press('Enter');
    await list().getByText('Deleted “Bread”.').waitFor();
    await expect.poll(focused).toBe('Soup');
    await list().getByRole('button', { name: 'Undo' }).press('Enter');
    const shown = () => list().locator('.chat-open').allInnerTexts();
    await expect.poll(shown).toEqual(['Bread', 'Soup', 'Poems']);
    await expect.poll(() => list().evaluate((one) => one.contains(document.activeElement))).toBe(true);
    for (const title of ['Bread', 'Poems', 'Soup']) {
      await list()
        .getByRole('button', { name: `Delete ${title}` })
        .press('Enter');
    }
    await expect.poll(focused).toBe('New chat');
    await list().getByRole('button', { name: 'Undo' }).press('Enter');
    await list().getByRole('button', { name: 'Select chats to delete' }).press('Enter');
    await list().getByRole('button', { name: 'Select all' }).press('Enter');
    await list().getByRole('button', { name: 'Delete 1 chat' }).press('Enter');
    await expect.poll(focused).toBe('New chat');
  });

  it('says what was wrong with an import, and what it has moved, in words that fit', async () => {
    const buffer = Buffer.from('no chats');
    await list().getByLabel('Import chats').setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer });
    await list().getByText('not JSON').waitFor();
    await more('Soup', 'Move to a folder…');
    await list().getByRole('textbox', { name: 'New folder' }).fill('W'.repeat(60));
    await page.keyboard.press('Enter');
    const box = await list().locator('.notice', { hasText: 'WWW' }).boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
  });
});

describe('several chats', () => {
  it('are deleted at once, by keyboard too, and restored at once', async () => {
    await page.getByRole('button', { name: 'Select chats to delete' }).press('Enter');
    const remove = page.getByRole('button', { name: /^Delete \d/ });
    expect(await remove.isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'Bread' }).press('Space');
    await page.getByRole('checkbox', { name: 'Poems' }).check();
    expect(await textOf(remove)).toBe('Delete 2 chats');
    await remove.press('Enter');
    await expect.poll(() => titles()).toEqual(['Soup']);
    await page.getByText('Deleted 2 chats.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => titles()).toEqual(['Bread', 'Soup', 'Poems']);
    await expect.poll(storedTitles).toEqual(['Bread', 'Poems', 'Soup']);
    await page.reload();
    await expect.poll(() => titles()).toEqual(['Bread', 'Soup', 'Poems']);
  });

  it('are only those that are found, if all are chosen after a search', async () => {
    await search().fill('water');
    await expect.poll(() => titles()).toEqual(['Bread', 'Soup']);
    await page.getByRole('button', { name: 'Select chats to delete' }).click();
    await page.getByRole('button', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Delete 2 chats' }).click();
    await search().fill('');
    await expect.poll(() => titles()).toEqual(['Poems']);
  });
});

describe('chats of another program', () => {
  it('are imported, with all versions', async () => {
    const node = (id: string, parent: string | null, role: string, text: string) => ({
      [id]: {
        id,
        parent,
        children: [],
        message: { author: { role }, content: { content_type: 'text', parts: [text] } },
      },
    });
    const conversation = {
      title: 'From elsewhere',
      create_time: 1_700_000_000,
      update_time: 1_700_000_000,
      conversation_id: 'gpt',
      mapping: {
        ...node('q', null, 'user', 'How do I bake bread?'),
        ...node('a', 'q', 'assistant', 'With flour.'),
        ...node('b', 'q', 'assistant', 'With time.'),
      },
      current_node: 'b',
    };
    const file = {
      name: 'conversations.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify([conversation])),
    };
    await page.getByLabel('Import chats').setInputFiles(file);
    await page.getByText('Imported 1 chat.').waitFor();
    await chat(page, 'From elsewhere').click();
    await replies(page).getByText('With time.').waitFor();
    expect(await bubbles(page)).toEqual(['How do I bake bread?']);
    await page.getByText('2/2').waitFor();
  });
});
