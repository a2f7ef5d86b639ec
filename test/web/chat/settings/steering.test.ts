import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MessageNode } from '../../../../web/chat/conversation/tree/tree.ts';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import type { RunningServer } from '../../../kit/servers/server.ts';
import { startChatServer } from '../grounds.ts';
import {
  bubbles,
  chat,
  chooseModel,
  conversationOf,
  importChats,
  openChat,
  readStored,
  reload,
  replies,
  say,
  textOf,
  untilModel,
} from '../support.ts';

const SHORT = { system: '', tools: '', sampling: { max_tokens: 4, temperature: 0 } };

vi.setConfig({ testTimeout: 60_000 });

let server: RunningServer;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  server = await startChatServer();
  browser = await launchBrowser();
  page = await openChat(browser.open, server.url);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Opens a chat of one question and this reply. Its model says no more than four tokens at once. */
async function openTalk(title: string, text: string, more: Record<string, unknown> = {}): Promise<void> {
  const talk = conversationOf(title, text, { model: 'tiny', end: { kind: 'stopped' }, ...more });
  await importChats(page, [{ ...talk, model: 'tiny', settings: SHORT }]);
  await chat(page, title).click();
  await replies(page).first().waitFor();
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const undo = () => page.getByRole('button', { name: 'Undo' }).click();
/** The words of the reply that is shown last, as they are stored. */
const lastWords = async (title: string): Promise<string> => {
  const id = `id of ${title}`.replaceAll(' ', '-');
  const own = (await readStored<MessageNode>(page, 'messages')).filter(({ conversation }) => conversation === id);
  return own.toSorted((one, other) => one.made.time - other.made.time).at(-1)?.turn.value.text ?? '';
};
const cutOff = (end: string) => replies(page).last().getByText(end).waitFor();
const moreOf = async (name: string) => {
  await replies(page).last().getByRole('button', { name: 'More about this reply' }).click();
  await button(name).click();
};
/** The accessible name of what has the focus. */
const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
const isMenuOpen = async () => (await button('Delete the reply').count()) > 0;

/** The words with which the model goes on, by the API itself. */
async function restOf(content: string, more: object = {}): Promise<string> {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'tiny',
      messages: [
        { role: 'user', content: 'Show me.' },
        { role: 'assistant', content, ...more },
      ],
      continue_final_message: true,
      temperature: 0,
      max_tokens: 4,
    }),
  });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? '';
}

describe('a reply that was cut off', () => {
  it('goes on where its words end, in the same message, as often as one likes', async () => {
    const beginning = 'Once upon a ti';
    await openTalk('Cut', beginning);
    await button('Continue').click();
    await cutOff('Cut off');
    const first = beginning + (await restOf(beginning));
    await expect.poll(() => lastWords('Cut')).toBe(first);
    await button('Continue').click();
    const second = first + (await restOf(first));
    await expect.poll(() => lastWords('Cut')).toBe(second);
    await cutOff('Cut off');
    expect(await replies(page).count()).toBe(1);
    expect(await page.getByRole('group', { name: 'Versions' }).count()).toBe(0);
    await reload(page);
    await button('Continue').waitFor();
    expect(await lastWords('Cut')).toBe(second);
  });

  it('keeps its words when it fails to go on, and can try again', async () => {
    await openTalk('Fails', 'The first half');
    await page.route('**/v1/chat/completions', (route) => {
      const body = 'data: {"choices":[{"delta":{"content":" and a"},"finish_reason":null}]}\n\n';
      return route.fulfill({ status: 200, contentType: 'text/event-stream', body });
    });
    await button('Continue').click();
    await page.getByText('The connection broke off before the end.', { exact: true }).waitFor();
    expect(await lastWords('Fails')).toBe('The first half and a');
    await page.unroute('**/v1/chat/completions');
    await button('Continue').click();
    await cutOff('Cut off');
    expect(await lastWords('Fails')).toMatch(/^The first half and a./);
  });

  it('goes on within its thoughts', async () => {
    await openTalk('Thoughts', '', { reasoning: 'Let me see' });
    const asked = page.waitForRequest('**/v1/chat/completions');
    await button('Continue').click();
    const { messages } = (await asked).postDataJSON();
    expect(messages.at(-1)).toEqual({ role: 'assistant', content: '', reasoning_content: 'Let me see' });
    await cutOff('Cut off');
    expect(await textOf(replies(page).last().locator('.reasoning p'))).toMatch(/^Let me see./);
  });

  it('can not go on if it calls a tool, or ended by itself', async () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"at' } }];
    await openTalk('Calls', 'I look', { calls });
    await openTalk('Whole', 'All said', { end: { kind: 'finished', reason: 'stop' } });
    expect(await button('Continue').count()).toBe(0);
    await chat(page, 'Calls').click();
    await page.getByText('I look').waitFor();
    expect(await button('Continue').count()).toBe(0);
  });
});

describe('the model’s answer', () => {
  it('can be changed: both versions stay, and the model goes on from the new one', async () => {
    await openTalk('Edited', 'It is red.', { end: { kind: 'finished', reason: 'stop' } });
    await moreOf('Edit the reply');
    const words = page.getByRole('textbox', { name: 'The model’s words' });
    await words.fill('It is blue, be');
    await page.keyboard.press('Escape');
    await page.getByText('It is red.').waitFor();
    await moreOf('Edit the reply');
    await words.fill('It is blue, be');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Edited by you').waitFor();
    await page.getByText('2/2').waitFor();
    await button('Continue').click();
    await cutOff('Cut off');
    expect(await lastWords('Edited')).toBe(`It is blue, be${await restOf('It is blue, be')}`);
    await button('Version before').click();
    await page.getByText('It is red.').waitFor();
    expect(await page.getByText('Edited by you').count()).toBe(0);
    await reload(page);
    await page.getByText('1/2').waitFor();
  });

  it('has a menu that closes when something in it is chosen, and by Escape; the focus stays in the reply', async () => {
    await openTalk('Menu', 'It is red.', { end: { kind: 'finished', reason: 'stop' } });
    const words = page.getByRole('textbox', { name: 'The model’s words' });
    const isBack = async () => {
      await expect.poll(focused).toBe('More about this reply');
      expect(await isMenuOpen()).toBe(false);
    };
    await button('More about this reply').click();
    await button('Delete the reply').focus();
    await page.keyboard.press('Escape');
    await isBack();

    await moreOf('Edit the reply');
    expect(await isMenuOpen()).toBe(false);
    await words.press('Escape');
    await isBack();

    await moreOf('Edit the reply');
    await words.fill('It is blue.');
    await button('Save').click();
    await page.getByText('2/2').waitFor();
    await isBack();

    // The version before it stands in its place.
    await moreOf('Delete the reply');
    await page.getByText('It is red.').waitFor();
    await isBack();
    await moreOf('Delete the reply');
    await expect.poll(() => replies(page).count()).toBe(0);
    await expect.poll(focused).toBe('Conversation');
  });
});

describe('a question', () => {
  it('has the focus when its editor goes', async () => {
    await openTalk('Asked', 'It is red.');
    const words = page.getByRole('textbox', { name: 'Your message' });
    await button('Edit and send again').click();
    await words.press('Escape');
    await expect.poll(focused).toBe('Edit and send again');
    await button('Edit and send again').press('Enter');
    await words.fill('Show me more.');
    await button('Send again').press('Enter');
    await page.getByText('2/2').waitFor();
    await expect.poll(focused).toBe('Edit and send again');
    await cutOff('Cut off');
    await button('Edit and send again').click();
    await button('Delete this message').click();
    await expect.poll(() => bubbles(page)).toEqual([]);
    await expect.poll(focused).toBe('Conversation');
  });
});

describe('the settings', () => {
  const dialog = () => page.getByRole('dialog', { name: 'Settings of this chat' });
  const openSettings = () => button('Settings of this chat').click();

  it('say by the field what the API would refuse, and are in the request', async () => {
    await openTalk('Settings', 'Some words');
    await openSettings();
    await dialog().getByText('More sampling settings').click();
    expect(await dialog().getByLabel('Repeat penalty').getAttribute('placeholder')).toBe('1.1');
    await dialog().getByLabel('Mirostat surprise').fill('200');
    await dialog().getByLabel('Typical P').fill('0.9');
    await dialog().getByText('from 0 to 100').waitFor();
    await dialog().getByText('Response format').click();
    await dialog().getByLabel('Stop sequences').fill('END');
    await dialog().getByLabel('JSON schema').fill('[');
    await dialog().getByText('The schema is not valid JSON').waitFor();
    await dialog().getByLabel('JSON schema').fill('');
    await dialog().getByLabel('More fields, as JSON').fill('{"min_tokens": 8}');
    await dialog().getByText('min_tokens is not supported').waitFor();
    await dialog().getByLabel('More fields, as JSON').fill('{"logit_bias": {"5": -1}}');
    await dialog().getByText('They are added to each request').waitFor();
    await button('Done').click();
    const asked = page.waitForRequest('**/v1/chat/completions');
    await say(page, 'Again');
    const body = (await asked).postDataJSON();
    expect(body).toMatchObject({ typical_p: 0.9, stop: ['END'], logit_bias: { 5: -1 }, max_tokens: 4 });
    expect(body).not.toHaveProperty('mirostat_tau');
    expect(body).not.toHaveProperty('response_format');
    await cutOff('Cut off');
  });

  it('are all reset at once, also a number that is not allowed', async () => {
    await openSettings();
    const temperature = dialog().getByLabel('Temperature');
    await temperature.fill('99');
    await page.keyboard.press('Tab');
    await dialog().getByText('from 0 to 2').waitFor();
    expect(await temperature.inputValue()).toBe('99');
    await button('Reset all').click();
    await expect.poll(() => temperature.inputValue()).toBe('');
    expect(await temperature.getAttribute('aria-invalid')).toBe('false');
    await page.keyboard.press('Escape');
  });

  it('give the system prompt as much room as it needs', async () => {
    await openSettings();
    const field = dialog().getByRole('textbox', { name: 'System prompt' });
    const height = async () => (await field.boundingBox())?.height ?? 0;
    const empty = await height();
    await field.fill('A line.\n'.repeat(8));
    const grown = await height();
    expect(grown).toBeGreaterThan(empty);
    await button('More room').click();
    expect(await height()).toBeGreaterThan(grown);
    await page.keyboard.press('Escape');
  });
});

describe('presets', () => {
  const dialog = () => page.getByRole('dialog', { name: 'Settings of this chat' });
  const openPresets = async () => {
    await button('Settings of this chat').click();
    await dialog().getByText('Presets', { exact: true }).click();
  };
  const temperature = () => dialog().getByLabel('Temperature');

  it('are saved, used in other chats and tabs, renamed, and deleted with undo', async () => {
    const other = await openChat(browser.open, server.url);
    await openTalk('Presets', 'Some words');
    await openPresets();
    await temperature().fill('0.3');
    await dialog().getByLabel('Save these settings as').fill('Calm');
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Calm', exact: true, pressed: true }).waitFor();
    await temperature().fill('1');
    await temperature().blur();
    await dialog().getByRole('button', { name: 'Calm', exact: true, pressed: false }).click();
    await expect.poll(() => temperature().inputValue()).toBe('0.3');
    await button('Rename Calm').click();
    await dialog().getByLabel('Name of Calm').fill('Quiet');
    await button('Rename').click();
    await button('Delete Quiet').click();
    await button('Quiet').waitFor({ state: 'detached' });
    await undo();
    await button('Quiet').waitFor();
    await page.keyboard.press('Escape');

    await other.getByRole('button', { name: 'Settings of this chat' }).click();
    await other.getByRole('dialog').getByText('Presets', { exact: true }).click();
    await other.getByRole('button', { name: 'Quiet', exact: true }).click();
    expect(await other.getByLabel('Temperature').inputValue()).toBe('0.3');
    await other.close();
  });

  it('that another tab saves leave alone what is being typed', async () => {
    const other = await openChat(browser.open, server.url);
    await openTalk('Typing', 'Some words');
    await openPresets();
    await temperature().fill('0.3');
    await other.getByRole('button', { name: 'Settings of this chat' }).click();
    await other.getByRole('dialog').getByText('Presets', { exact: true }).click();
    await other.getByLabel('Save these settings as').fill('Elsewhere');
    await other.keyboard.press('Enter');
    await button('Elsewhere').waitFor();
    expect(await temperature().inputValue()).toBe('0.3');
    await page.keyboard.press('Tab');
    await dialog().getByRole('button', { name: 'Elsewhere', exact: true, pressed: false }).click();
    await expect.poll(() => temperature().inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await other.close();
  });

  it('can be what new chats with a model begin with, also after a reload', async () => {
    await openTalk('Defaults', 'Some words');
    await openPresets();
    await temperature().fill('0.4');
    await dialog().getByRole('checkbox').check();
    await page.keyboard.press('Escape');
    await openTalk('Unlike', 'Other words');
    await button('New chat').click();
    await button('Settings of this chat').click();
    await expect.poll(() => temperature().inputValue()).toBe('0.4');
    await page.keyboard.press('Escape');
    await chooseModel(page, 'tiny');
    await page.goto(`${server.url}/`);
    await untilModel(page);
    await button('Settings of this chat').click();
    await expect.poll(() => temperature().inputValue()).toBe('0.4');
    await dialog().getByText('Presets', { exact: true }).click();
    await dialog().getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await reload(page);
    await untilModel(page);
    await button('Settings of this chat').click();
    await expect.poll(() => temperature().inputValue()).toBe('');
    await page.keyboard.press('Escape');
  });
});

describe('two models', () => {
  it('answer a question beside each other, and the chat goes on with the reply that is chosen', async () => {
    await openTalk('Two models', 'Some words');
    await button('Settings of this chat').click();
    await page.getByLabel('Compare with').selectOption('pico');
    await page.keyboard.press('Escape');
    await say(page, 'Which one?');
    const both = page.getByRole('group', { name: 'Two replies to compare' });
    const one = (name: string) => both.locator('article').filter({ has: page.getByRole('heading', { name }) });
    for (const name of ['tiny', 'pico']) await one(name).getByText('Cut off').waitFor();
    const words = await textOf(one('pico').locator('.prose'));
    await reload(page);
    await both.waitFor();
    await page.getByRole('button', { name: 'Go on with this one by pico' }).click();
    await both.waitFor({ state: 'detached' });
    expect(await textOf(replies(page).last().locator('.prose'))).toBe(words);
    await page.getByText('2/2').waitFor();
    const asked = page.waitForRequest('**/v1/chat/completions');
    await say(page, 'And now?');
    const { messages } = (await asked).postDataJSON();
    expect(messages.at(-2).content.trim()).toBe(words.trim());
    await both.getByText('Cut off').nth(1).waitFor();
  });
});

describe('a message that is deleted', () => {
  it('leaves what was said after it, and comes back', async () => {
    const talk = conversationOf('Four', 'One', {});
    const turns = [...talk.turns, ...conversationOf('', 'Two').turns.map((turn) => ({ ...turn, id: `${turn.id}2` }))];
    await importChats(page, [{ ...talk, turns }]);
    await chat(page, 'Four').click();
    const said = () => page.locator('.bubble, .reply .prose').allInnerTexts();
    await expect.poll(said).toEqual(['Show me.', 'One', 'Show me.', 'Two']);
    await replies(page).first().getByRole('button', { name: 'More about this reply' }).click();
    await button('Delete the reply').click();
    await expect.poll(said).toEqual(['Show me.', 'Show me.', 'Two']);
    await undo();
    await expect.poll(said).toEqual(['Show me.', 'One', 'Show me.', 'Two']);
    await button('Edit and send again').first().click();
    await button('Delete this message').click();
    await expect.poll(said).toEqual(['One', 'Show me.', 'Two']);
    await reload(page);
    await expect.poll(said).toEqual(['One', 'Show me.', 'Two']);
  });

  it('gives way to another version of it', async () => {
    await openTalk('Versions', 'The old answer');
    await moreOf('Edit the reply');
    await page.getByRole('textbox', { name: 'The model’s words' }).fill('The new answer');
    await button('Save').click();
    await page.getByText('The new answer').waitFor();
    await moreOf('Delete the reply');
    await page.getByText('The old answer').waitFor();
    expect(await page.getByRole('group', { name: 'Versions' }).count()).toBe(0);
    await undo();
    await page.getByText('The new answer').waitFor();
    expect(await bubbles(page)).toEqual(['Show me.']);
  });
});
