import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { listedModel, type StandIn, startStandIn } from '../stand-in.ts';
import {
  ask,
  bubbles,
  failuresOf,
  messageField,
  openChat,
  replies,
  textOf,
  untilModel,
  visitAnew,
} from '../support.ts';

vi.setConfig({ testTimeout: 60_000 });

let server: StandIn;
let browser: TestBrowser;
let page: Page;
let failures: string[];

beforeAll(async () => {
  server = await startStandIn([listedModel('Words')]);
  browser = await launchBrowser();
  page = await openChat(browser.open, server.url);
  page.setDefaultTimeout(20_000);
  failures = failuresOf(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(async () => {
  await visitAnew(browser, page, server.url);
  await untilModel(page);
});

const sheet = () => page.getByRole('dialog', { name: 'Keys and prompts' });
const promptsDialog = (tab = page) => tab.getByRole('dialog', { name: 'Your prompts' });
const field = () => page.locator('#message');
const options = () => page.getByRole('listbox').getByRole('option').allTextContents();

/** Writes a prompt in the dialog, which is open. */
async function writePrompt(name: string, text: string): Promise<void> {
  await promptsDialog().getByRole('button', { name: 'New prompt' }).click();
  await promptsDialog().getByRole('textbox', { name: 'Name' }).fill(name);
  await promptsDialog().getByRole('textbox', { name: 'Text' }).fill(text);
  await promptsDialog().getByRole('button', { name: 'Save' }).click();
}

describe('the Enter key', () => {
  it('sends, or begins a new line if that is chosen, also in other tabs and after a reload', async () => {
    expect(await messageField(page).getAttribute('enterkeyhint')).toBe('send');
    await ask(page, 'One');
    const other = await openChat(browser.open, server.url);
    await page.getByRole('button', { name: 'Keys and prompts' }).click();
    await sheet().getByText('begins a new line').click();
    await page.keyboard.press('Escape');
    await other.locator('#message[enterkeyhint=enter]').waitFor();
    await other.close();
    await page.reload();
    await messageField(page).pressSequentially('Two');
    await messageField(page).press('Enter');
    await messageField(page).pressSequentially('lines');
    expect(await messageField(page).inputValue()).toBe('Two\nlines');
    await messageField(page).press('Control+Enter');
    await replies(page).nth(1).getByText('I see.').waitFor();
    expect(await bubbles(page)).toEqual(['One', 'Two\nlines']);
    // An edit keeps to the choice too.
    await page.getByRole('button', { name: 'Edit and send again' }).last().click();
    await page.getByRole('textbox', { name: 'Your message' }).press('End');
    await page.getByRole('textbox', { name: 'Your message' }).press('Enter');
    await page.keyboard.type('more');
    await page.keyboard.press('Control+Enter');
    await page.locator('.bubble', { hasText: 'more' }).waitFor();
    expect((await bubbles(page)).at(-1)).toBe('Two\nlines\nmore');
  });

  it('begins a new line on a phone, where it can be chosen too', async () => {
    const phone = await browser.open('about:blank');
    const devtools = await browser.devtools(phone);
    const metrics = { width: 390, height: 700, deviceScaleFactor: 2, mobile: true };
    await devtools.send('Emulation.setDeviceMetricsOverride', metrics);
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await phone.goto(server.url);
    await phone.locator('#message[enterkeyhint=enter]').waitFor();
    await phone.getByRole('button', { name: 'Chats' }).click();
    await phone.getByRole('button', { name: 'Keys and prompts' }).click();
    await phone.getByText('sends', { exact: true }).click();
    await phone.locator('#message[enterkeyhint=send]').waitFor();
    await phone.close();
  });
});

describe('the shortcuts', () => {
  it('are listed by Ctrl+/ anywhere, and by ? outside of fields', async () => {
    await messageField(page).press('Control+/');
    expect(await textOf(sheet().locator('.shortcuts'))).toMatch(/New chatAlt Shift O.*This listCtrl \/ or \?/);
    await page.keyboard.press('Escape');
    await sheet().waitFor({ state: 'hidden' });
    await messageField(page).press('Shift+?');
    expect(await messageField(page).inputValue()).toBe('?');
    await page.getByRole('button', { name: 'New chat' }).focus();
    await page.keyboard.press('Shift+?');
    await sheet().waitFor();
  });

  it('begin chats, go through them, search, write, ask again and copy', async () => {
    await ask(page, 'First');
    await page.keyboard.press('Alt+Shift+O');
    await page.getByRole('heading', { name: 'Talk to Words' }).waitFor();
    await ask(page, 'Second');
    await page.keyboard.press('Alt+Shift+J');
    await page.locator('.bubble', { hasText: 'First' }).waitFor();
    await page.keyboard.press('Alt+Shift+K');
    await page.locator('.bubble', { hasText: 'Second' }).waitFor();
    await page.keyboard.press('Alt+Shift+F');
    await page.locator('.chat-search:focus').waitFor();
    await page.keyboard.press('Alt+Shift+W');
    await page.locator('#message:focus').waitFor();
    await page.keyboard.press('Alt+Shift+R');
    await page.locator('.reply').getByText('2/2').waitFor();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
    await page.keyboard.press('Alt+Shift+C');
    await page.getByText('Copied the last reply.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('I see.');
    expect(await messageField(page).inputValue()).toBe('');
  });
});

describe('prompts of one’s own', () => {
  it('are written, offered by / and put into the message by the keyboard', async () => {
    await messageField(page).pressSequentially('/');
    expect(await options()).toEqual(['Write a prompt of your own…']);
    await field().press('Enter');
    expect(await field().inputValue()).toBe('');
    await writePrompt('/translate', 'Translate this:\n');
    await writePrompt('Code review', 'Review this code:');
    await writePrompt('translate', 'again');
    expect(await textOf(promptsDialog().getByRole('alert'))).toBe('There is a prompt “/translate” already.');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.locator('.dialog-body').waitFor({ state: 'detached' });
    // The message has its focus and its caret again.
    await page.keyboard.type('Hi');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('/');
    expect(await options()).toEqual(['/Code-review Review this code:', '/translate Translate this:\n', 'All prompts…']);
    const active = () => field().getAttribute('aria-activedescendant');
    expect(await active()).toBe('prompt-option-0');
    await page.getByRole('status').getByText('2 prompts to choose from').waitFor({ state: 'attached' });
    await field().press('ArrowDown');
    expect(await active()).toBe('prompt-option-1');
    await field().press('ArrowUp');
    await field().press('ArrowUp');
    expect(await active()).toBe('prompt-option-2');
    await field().pressSequentially('tr');
    expect(await options()).toEqual(['/translate Translate this:\n', 'All prompts…']);
    await field().press('Enter');
    await field().pressSequentially('Bonjour');
    expect(await messageField(page).inputValue()).toBe('Hi\nTranslate this:\nBonjour');
    // Escape closes the menu, and what is no prompt is sent as it is.
    await field().fill('');
    await field().pressSequentially('/cod');
    await field().press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await field().press('Backspace');
    await page.getByRole('listbox').waitFor();
    await field().pressSequentially('d');
    await page.getByRole('listbox').waitFor();
    await field().press('Escape');
    await field().press('Enter');
    await replies(page).getByText('I see.').waitFor();
    expect(await bubbles(page)).toEqual(['/cod']);
  });

  it('are renamed, deleted and restored, in all tabs, and go with an export', async () => {
    await field().pressSequentially('/');
    await page.getByRole('listbox').getByRole('option').click();
    await writePrompt('one', 'First.');
    await writePrompt('two', 'Second.');
    const other = await openChat(browser.open, server.url);
    await promptsDialog().getByRole('button', { name: 'Edit one' }).click();
    await promptsDialog().getByRole('textbox', { name: 'Name' }).fill('uno');
    await promptsDialog().getByRole('button', { name: 'Save' }).click();
    await promptsDialog().getByRole('button', { name: 'Delete two' }).click();
    await other.locator('#message').pressSequentially('/');
    await other.getByRole('option', { name: '/uno' }).waitFor();
    await other.getByRole('option', { name: '/two' }).waitFor({ state: 'detached' });
    await promptsDialog().getByRole('button', { name: 'Undo' }).click();
    await other.getByRole('option', { name: '/two' }).waitFor();
    await other.close();
    await page.keyboard.press('Escape');
    await ask(page, 'A chat');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const file = await download.path();
    expect(JSON.parse(await readFile(file, 'utf8')).prompts).toHaveLength(2);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await page.getByLabel('Import chats').setInputFiles(file);
    await page.getByText('Imported 2 prompts. 1 chat was here already.').waitFor();
    await page.reload();
    await field().pressSequentially('/');
    await page.getByRole('option', { name: '/uno' }).waitFor();
    expect(await options()).toHaveLength(3);
  });
});

it('the page had no errors, and no violations of its own policy', () => {
  expect(failures).toEqual([]);
});
