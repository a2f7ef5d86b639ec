import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { listedModel, type StandIn, startStandIn } from '../stand-in.ts';
import { chooseModel, messageField, openChat, textOf } from '../support.ts';

vi.setConfig({ testTimeout: 60_000 });

/** The browser has a microphone that beeps, and asks nobody for it. */
const MICROPHONE = '--use-fake-device-for-media-stream';
const ALLOWED = '--use-fake-ui-for-media-stream';

let server: StandIn;
let browser: TestBrowser;

beforeAll(async () => {
  server = await startStandIn([listedModel('Ears', { audio: true }), listedModel('Words')]);
  browser = await launchBrowser({ flags: [MICROPHONE, ALLOWED] });
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

describe('the microphone', () => {
  it('records a WAV file for a model that hears', async () => {
    const page = await openChat(browser.open, server.url);
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const stop = page.getByRole('button', { name: 'Stop recording' });
    await stop.getByText('0:01').waitFor();
    await stop.click();
    const attached = page.getByRole('list', { name: 'Attached' }).getByRole('figure');
    await attached.waitFor();
    expect(await textOf(attached)).toMatch(/^Recording \d\d-\d\d-\d\d\.wav0:0[12]/);
    const [request] = await Promise.all([
      page.waitForRequest('**/v1/chat/completions'),
      messageField(page).press('Enter'),
    ]);
    // The draft is emptied by now: it is the same in every tab.
    await page.getByText('I see.', { exact: true }).waitFor();
    const [part] = request.postDataJSON().messages[0].content;
    expect(part).toMatchObject({ type: 'input_audio', input_audio: { format: 'wav' } });
    const wav = Buffer.from(part.input_audio.data, 'base64');
    // 16 bits, mono, 16 kHz; and the beeps are heard.
    expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([1, 16_000, 16]);
    const samples = Array.from({ length: (wav.length - 44) / 2 }, (_, index) =>
      Math.abs(wav.readInt16LE(44 + 2 * index)),
    );
    expect(samples.length).toBeGreaterThan(16_000 / 2);
    expect(Math.max(...samples.slice(0, 60_000))).toBeGreaterThan(500);
    await page.close();
  });

  it('dictates to a model that does not hear, through one that does', async () => {
    const page = await openChat(browser.open, server.url);
    await chooseModel(page, 'Words');
    await messageField(page).fill('Please note:');
    await page.getByRole('button', { name: 'Dictate', exact: true }).click();
    const stop = page.getByRole('button', { name: 'Stop recording' });
    await stop.getByText('0:01').waitFor();
    const [request] = await Promise.all([page.waitForRequest('**/v1/audio/transcriptions'), stop.click()]);
    expect(await request.headerValue('content-type')).toMatch(/^multipart\/form-data; boundary=/);
    await expect.poll(() => messageField(page).inputValue()).toBe('Please note: Ears heard this.');
    expect(await page.getByRole('list', { name: 'Attached' }).count()).toBe(0);
    await page.close();
  });

  it('writes down what was recorded for a model that hears, if a person asks for it', async () => {
    const page = await openChat(browser.open, server.url);
    await chooseModel(page, 'Ears');
    // The draft of the new chat is the same in every tab.
    await messageField(page).fill('');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const stop = page.getByRole('button', { name: 'Stop recording' });
    await stop.getByText('0:01').waitFor();
    await stop.click();
    await page.getByRole('button', { name: 'Write it down' }).click();
    await expect.poll(() => messageField(page).inputValue()).toBe('Ears heard this.');
    await page.getByRole('list', { name: 'Attached' }).waitFor({ state: 'detached' });
    await page.close();
  });

  it('is not there where no model hears', async () => {
    await using deaf = await startStandIn([listedModel('Words')]);
    const page = await openChat(browser.open, deaf.url);
    await chooseModel(page, 'Words');
    expect(await page.getByRole('button', { name: /^(Record|Dictate)$/ }).count()).toBe(0);
    await page.close();
  });

  it('has a file of another format as a WAV for the model', async () => {
    const page = await openChat(browser.open, server.url);
    await chooseModel(page, 'Ears');
    await messageField(page).fill('');
    const buffer = Buffer.from(await page.evaluate(recordWebm), 'base64');
    await page.getByLabel(/^Attach /).setInputFiles({ name: 'said.webm', mimeType: 'audio/webm', buffer });
    const attached = page.getByRole('list', { name: 'Attached' }).getByRole('figure');
    expect(await textOf(attached)).toMatch(/^said\.webm0:01/);
    const [request] = await Promise.all([
      page.waitForRequest('**/v1/chat/completions'),
      messageField(page).press('Enter'),
    ]);
    // The draft is emptied by now: it is the same in every tab.
    await page.getByText('I see.', { exact: true }).waitFor();
    const [{ input_audio }] = request.postDataJSON().messages[0].content;
    expect(input_audio.format).toBe('wav');
    expect(Buffer.from(input_audio.data, 'base64').length).toBeGreaterThan(16_000);
    await page.close();
  });

  it('refuses a recording that the browser can not read', async () => {
    const page = await openChat(browser.open, server.url);
    await chooseModel(page, 'Ears');
    const buffer = Buffer.from('OggS and no more');
    await page.getByLabel(/^Attach /).setInputFiles({ name: 'broken.ogg', mimeType: 'audio/ogg', buffer });
    expect(await textOf(page.locator('.composer [role=alert]'))).toBe(
      '“broken.ogg” is a recording that this browser can’t read.',
    );
    await page.close();
  });

  it('says what to do if it is denied', async () => {
    const page = await openChat(browser.open, server.url);
    await chooseModel(page, 'Ears');
    // What the browser says when a person denies it.
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('denied', 'NotAllowedError'));
    });
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    expect(await textOf(page.locator('.composer [role=alert]'))).toMatch(
      /^The microphone is not allowed here\. Allow it/,
    );
  });
});

/** Runs in the page: records a second of the microphone, and returns the file in Base64. */
async function recordWebm(): Promise<string> {
  const recorder = new MediaRecorder(await navigator.mediaDevices.getUserMedia({ audio: true }));
  const recorded = new Promise<Blob>((resolve) => {
    recorder.addEventListener('dataavailable', ({ data }) => resolve(data));
  });
  recorder.start();
  setTimeout(() => recorder.stop(), 1200);
  const bytes = new Uint8Array(await (await recorded).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
