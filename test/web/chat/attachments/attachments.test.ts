import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Patch } from '../../../../web/chat/conversation/tree/tree.ts';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { plainPng, silentMp3, toneWav } from '../../../kit/files/media.ts';
import { type GivenFile, give } from '../give-files.ts';
import { listedModel, type StandIn, startStandIn } from '../stand-in.ts';
import {
  ask,
  chooseModel,
  failuresOf,
  messageField,
  openChat,
  reload,
  replies,
  say,
  textOf,
  visitAnew,
} from '../support.ts';

const MODELS = [
  listedModel('Senses', { vision: true, audio: true }),
  listedModel('Eyes', { vision: true }),
  listedModel('Words'),
];

const picture: GivenFile = { name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(plainPng([200, 30, 30])) };
const wav: GivenFile = { name: 'tone.wav', mimeType: 'audio/wav', buffer: Buffer.from(toneWav(440)) };
const mp3: GivenFile = { name: 'silence.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from(silentMp3(2)) };

vi.setConfig({ testTimeout: 60_000 });

let server: StandIn;
let browser: TestBrowser;
let page: Page;
let failures: string[];

beforeAll(async () => {
  server = await startStandIn(MODELS);
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
  await chooseModel(page, 'Senses');
  await page.getByRole('dialog', { name: 'Models' }).waitFor({ state: 'hidden' });
});

const attached = () => page.getByRole('list', { name: 'Attached' });
const problem = () => page.locator('.composer [role=alert]');
const dropZone = () => page.locator('.drop-zone');
const attach = (...files: GivenFile[]) => page.getByLabel(/^Attach /).setInputFiles(files);

/** Removes what a test has left attached: it stays in the draft of the next new chat. */
async function detach(): Promise<void> {
  await attached()
    .getByRole('button', { name: /^Remove / })
    .click();
  await attached().waitFor({ state: 'detached' });
}

/** Returns the content of the last message in the request that `act` causes. */
async function contentOf(act: () => Promise<unknown>) {
  const [request] = await Promise.all([page.waitForRequest('**/v1/chat/completions'), act()]);
  return request.postDataJSON().messages.at(-1).content;
}

/** Returns the length that the browser finds in a recording. */
async function playedSeconds(player: Locator): Promise<number> {
  const duration = () => player.evaluate((audio) => (audio as HTMLAudioElement).duration || 0);
  await expect.poll(duration).toBeGreaterThan(0);
  return duration();
}

describe('files attached by the button', () => {
  it('are shown, announced, and sent as parts before the text', async () => {
    await attach(picture, wav, mp3);
    await attached().getByRole('img', { name: 'Attachment 1' }).waitFor();
    await page.getByRole('status').getByText('1 picture and 2 recordings attached.').waitFor({ state: 'attached' });
    expect(await attached().getByRole('figure').allInnerTexts()).toEqual([
      expect.stringMatching(/^tone\.wav\s+0:01/),
      expect.stringMatching(/^silence\.mp3\s+0:02/),
    ]);
    expect(await playedSeconds(attached().getByLabel('tone.wav', { exact: true }))).toBe(1);

    const content = await contentOf(() => say(page, 'What is this?'));
    expect(content).toEqual([
      { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/jpeg;base64,\/9j/) } },
      { type: 'input_audio', input_audio: { data: wav.buffer.toString('base64'), format: 'wav' } },
      { type: 'input_audio', input_audio: { data: mp3.buffer.toString('base64'), format: 'mp3' } },
      { type: 'text', text: 'What is this?' },
    ]);
    await replies(page).getByText('I see.').waitFor();
    expect(await attached().count()).toBe(0);
    expect(await page.locator('.said').getByRole('figure').count()).toBe(2);
  });

  it('can be removed, also by keyboard, and one alone is enough for a message', async () => {
    await attach(picture, wav);
    await attached().getByRole('button', { name: 'Remove picture 1' }).press('Enter');
    await attached().getByRole('img').waitFor({ state: 'detached' });
    expect(await messageField(page).evaluate((field) => field === document.activeElement)).toBe(true);
    const content = await contentOf(() => messageField(page).press('Enter'));
    expect(content).toMatchObject([{ type: 'input_audio' }]);
  });

  it('are sent again in the next turn, and survive a reload and an export', async () => {
    await attach(wav);
    await attached().waitFor();
    expect(await ask(page, 'Listen')).toMatch(/^I see\./);
    await reload(page);
    const said = page.locator('.said').getByLabel('tone.wav', { exact: true });
    expect(await playedSeconds(said)).toBe(1);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const file = await download.path();
    const { messages } = JSON.parse(await readFile(file, 'utf8')) as Patch;
    const listen = messages.find(({ turn }) => turn.value.text === 'Listen');
    const kept = `data:audio/wav;base64,${wav.buffer.toString('base64')}`;
    expect(listen?.turn.value).toMatchObject({ recordings: [{ name: 'tone.wav', seconds: 1, url: kept }] });

    await page.getByRole('button', { name: 'Delete Listen' }).click();
    await said.waitFor({ state: 'detached' });
    await page.getByLabel('Import chats').setInputFiles(file);
    await page.getByRole('navigation').getByRole('button', { name: 'Listen', exact: true }).click();
    await said.waitFor();
    const [request] = await Promise.all([page.waitForRequest('**/v1/chat/completions'), say(page, 'And now?')]);
    expect(request.postDataJSON().messages).toMatchObject([
      { role: 'user', content: [{ type: 'input_audio' }, { type: 'text', text: 'Listen' }] },
      { role: 'assistant' },
      { role: 'user', content: 'And now?' },
    ]);
  });
});

describe('files dropped or pasted', () => {
  it('are attached, and a drop zone appears while they are dragged over the page', async () => {
    await give(page.locator('body'), ['dragenter', 'dragover'], [picture]);
    expect(await textOf(dropZone())).toBe('Drop pictures, recordings, or files anywhere');
    await give(page.locator('body'), ['dragleave'], [picture]);
    await dropZone().waitFor({ state: 'detached' });
    await give(page.locator('body'), ['dragover', 'drop'], [picture]);
    await attached().getByRole('img').waitFor();
    expect(await dropZone().count()).toBe(0);
    await give(messageField(page), ['paste'], [mp3]);
    await attached().getByRole('figure').waitFor();
    await give(messageField(page), ['paste'], [picture]);
    await messageField(page).fill('Hm?');
    // The same picture again is read and left out.
    await page.getByRole('button', { name: 'Send', disabled: false }).waitFor();
    expect(await contentOf(() => messageField(page).press('Enter'))).toMatchObject([
      { type: 'image_url' },
      { type: 'input_audio', input_audio: { format: 'mp3' } },
      { type: 'text' },
    ]);
  });

  it('are ignored if they come from the page itself, as is text', async () => {
    await give(page.locator('body'), ['dragstart', 'dragover', 'drop', 'dragend'], [picture]);
    await give(page.locator('body'), ['dragover', 'paste'], []);
    expect(await dropZone().count()).toBe(0);
    await give(page.locator('body'), ['drop'], [wav]);
    await attached().getByRole('figure').waitFor();
    expect(await attached().getByRole('listitem').count()).toBe(1);
    await detach();
  });
});

describe('files that can not be attached', () => {
  it('are refused with a message by a model without vision and audio, whose button says so', async () => {
    await chooseModel(page, 'Words');
    await page.getByLabel('Attach files', { exact: true }).waitFor();
    await give(page.locator('body'), ['dragover'], [picture]);
    expect(await textOf(dropZone())).toBe('Drop files anywhere');
    await give(page.locator('body'), ['drop'], [picture, wav]);
    await problem().waitFor();
    expect(await problem().locator('p').allInnerTexts()).toEqual([
      'Words takes no pictures. “red.png” is not attached.',
      'Words takes no recordings. “tone.wav” is not attached.',
    ]);
    expect(await attached().count()).toBe(0);
  });

  it('block the message if the model was changed after they were attached', async () => {
    await attach(picture, wav);
    await attached().waitFor();
    await chooseModel(page, 'Eyes');
    expect(await textOf(problem())).toMatch(/^Eyes takes no recordings\. Remove what is attached/);
    const send = page.getByRole('button', { name: 'Send' });
    expect(await send.isDisabled()).toBe(true);
    await attached().getByRole('button', { name: 'Remove tone.wav' }).click();
    await problem().waitFor({ state: 'detached' });
    expect(await send.isDisabled()).toBe(false);
    await detach();
  });

  it.each([
    ['is too large', { ...wav, buffer: Buffer.concat([wav.buffer, Buffer.alloc(20 * 1024 ** 2)]) }, /too large.*21 MB/],
    ['is cut off', { ...wav, buffer: wav.buffer.subarray(0, 1000) }, /“tone\.wav” is a broken WAV: it ends after 1000/],
    ['is no picture inside', { ...picture, buffer: picture.buffer.subarray(0, 40) }, /“red\.png” is no picture/],
  ])('are refused with a message if one %s', async (_, file, message) => {
    await attach(file);
    await problem().waitFor();
    expect(await textOf(problem())).toMatch(message);
    expect(await attached().count()).toBe(0);
  });
});

describe('pictures of earlier messages', () => {
  it('are left out for a model that takes none, and marked beside them', async () => {
    await attach(picture);
    await ask(page, 'What is this?');
    const note = page.getByText('Left out for Words: the picture.');
    expect(await note.count()).toBe(0);
    await chooseModel(page, 'Words');
    await note.waitFor();
    const [request] = await Promise.all([page.waitForRequest('**/v1/chat/completions'), say(page, 'And now?')]);
    expect(request.postDataJSON().messages).toEqual([
      { role: 'user', content: 'What is this?' },
      { role: 'assistant', content: 'I see.' },
      { role: 'user', content: 'And now?' },
    ]);
    expect(await page.getByRole('img', { name: 'Attached by you' }).count()).toBe(1);
  });
});

it('the page had no errors, and no violations of its own policy', () => {
  expect(failures).toEqual([]);
});
