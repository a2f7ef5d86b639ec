import type { Locator, Page } from 'playwright-core';

/** The chat page in a tab, as a person sees it. */
export const messageField = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
export const replies = (page: Page) => page.locator('article.reply');
export const announcement = (page: Page) => page.locator('#announcement');
export const status = (page: Page) => page.locator('.status');

export async function textOf(element: Locator): Promise<string> {
  return (await element.textContent()) ?? '';
}

/** Opens the page in a new tab and waits until a message can be typed. */
export async function openChat(open: (url: string) => Promise<Page>, url: string): Promise<Page> {
  const page = await open(url);
  await page.locator('.model-name', { hasNotText: 'Models' }).waitFor();
  return page;
}

export async function say(page: Page, text: string): Promise<void> {
  await messageField(page).fill(text);
  await messageField(page).press('Enter');
}

/** Sends a message and waits for the end of the reply. Returns its text. */
export async function ask(page: Page, text: string): Promise<string> {
  const before = await replies(page).count();
  await say(page, text);
  const reply = replies(page).nth(before);
  await reply.getByRole('button', { name: 'Retry' }).waitFor();
  return textOf(reply.locator('.prose'));
}

/** Opens the list of models and chooses one. */
export async function chooseModel(page: Page, id: string): Promise<void> {
  await page.locator('.model-button').click();
  await page.getByRole('dialog', { name: 'Models' }).getByTitle(id, { exact: true }).click();
}

/** Imports a file with these conversations, as a person would. */
export async function importChats(page: Page, conversations: object[]): Promise<void> {
  const text = JSON.stringify({ format: 'paddock-chats', version: 1, conversations });
  await page
    .getByLabel('Import chats')
    .setInputFiles({ name: 'chats.json', mimeType: 'application/json', buffer: Buffer.from(text) });
}

/** A conversation of one question and one reply, in the form of export files. */
export function conversationOf(title: string, text: string, more: Record<string, unknown> = {}) {
  return {
    id: `id of ${title}`.replaceAll(' ', '-'),
    title,
    createdAt: 1,
    updatedAt: Date.now(),
    model: null,
    settings: { system: '', tools: '', sampling: {} },
    turns: [
      { role: 'user', id: 'u', text: 'Show me.', images: [] },
      {
        role: 'assistant',
        id: 'r',
        model: 'pico',
        text,
        reasoning: '',
        calls: [],
        end: { kind: 'finished', reason: 'stop' },
        stats: null,
        ...more,
      },
    ],
  };
}
