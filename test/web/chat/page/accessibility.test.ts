import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { plainPng } from '../../../kit/files/media.ts';
import type { RunningServer } from '../../../kit/servers/server.ts';
import { startChatServer } from '../grounds.ts';
import { chooseModel, conversationOf, importChats, openChat, replies, say, untilModel } from '../support.ts';

declare global {
  /** https://github.com/dequelabs/axe-core */
  var axe: {
    run(options?: {
      resultTypes: string[];
      runOnly?: string[];
    }): Promise<{ violations: { id: string; impact: string | null; nodes: { html: string }[] }[] }>;
  };
}

const TEXT = [
  '# Title\n\nSome **bold** text with `code`, a [link](https://example.org) and a quote:\n\n> Quoted.',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n1. one\n2. two\n\n- [x] done',
  `\`\`\`js\nconst aLongLine = '${'x'.repeat(200)}';\n\`\`\``,
  `A very long word: ${'w'.repeat(200)}`,
].join('\n\n');

/** What is drawn by libraries that are fetched for it. */
const RICH = [
  'A formula $e^{i\\pi} + 1 = 0$, a note[^1], and one on a line of its own:',
  '$$\n\\int_0^1 \\frac{x^2}{1 + x}\\,dx = \\sum_{i=1}^n \\sqrt{a_i} + b_1 + b_2 + b_3 + b_4 + b_5 + b_6 + b_7 + b_8 + b_9\n$$',
  '```ts\n// Adds two numbers.\nexport function add(a: number, b = 2): string {\n  return String(a + b);\n}\n```',
  '```diff\n- old\n+ new\n```',
  '```mermaid\ngraph TD\n  A[A question] --> B{Known?}\n  B -->|yes| C[Answer]\n  B -->|no| D[Look it up]\n  D --> B\n```',
  '```mermaid\nsequenceDiagram\n  Browser->>Server: A request\n  Server-->>Browser: Tokens, one by one\n```',
  '<details>\n<summary>More of it</summary>\n\nFolded *away*.\n\n</details>',
  'مرحبا بالعالم، هذا نص.',
  '[^1]: The words of the note, with `code`.',
].join('\n\n');

const withFile = ({ turns: [, reply], ...chat }: ReturnType<typeof conversationOf>) => {
  const files = [{ name: 'code.ts', size: 400, text: `const a = '${'x'.repeat(400)}';\n`.repeat(40) }];
  return { ...chat, turns: [{ role: 'user', id: 'u', text: '', images: [], files }, reply] };
};

const MORE = {
  reasoning: 'Let me think.',
  calls: [{ id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }],
  stats: { promptTokens: 9, cachedTokens: 0, tokens: 20, tokensPerSecond: 31.4, firstTokenMs: 120, totalMs: 900 },
};

/** A tool server that is not there. It was there before, with a tool of the calls above. */
const TOOL_SERVER = {
  id: 's',
  url: 'http://127.0.0.1:9/mcp',
  header: null,
  title: 'Weather',
  tools: [{ name: 'get_weather', description: 'Tells the weather of a city.', parameters: { type: 'object' } }],
  off: [],
};

/** A conversation whose last request was refused, because the window was full. */
const FULL = {
  ...conversationOf('A full context', ''),
  model: 'pico',
  turns: ['first', 'last'].flatMap((name) => [
    { role: 'user', id: `question ${name}`, text: `The ${name} question`, images: [] },
    {
      ...conversationOf('', `The ${name} answer`).turns[1],
      id: `answer ${name}`,
      ...(name === 'last' && { text: '', end: { kind: 'failed', message: 'Full.', code: 'context_length_exceeded' } }),
    },
  ]),
};

vi.setConfig({ testTimeout: 60_000 });

let server: RunningServer;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  server = await startChatServer();
  browser = await launchBrowser();
  await browser.context.addInitScript(
    (servers) => localStorage.setItem('paddock-tool-servers', servers),
    JSON.stringify([TOOL_SERVER]),
  );
  page = await openChat(browser.open, server.url);
  // The page's policy blocks injected script tags, but not what a test evaluates.
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  await importChats(page, [
    conversationOf('A failed reply', '', { end: { kind: 'failed', message: 'It went wrong.', code: null } }),
    conversationOf('All there is in a reply', TEXT, MORE),
    conversationOf('Formulas and diagrams', RICH),
    FULL,
    withFile(conversationOf('A file', 'I see.')),
    conversationOf('A pair', 'Some words.'),
  ]);
  await chooseModel(page, 'tiny/vision/eye');
  await attach();
  await say(page, 'What is this?');
  await stop();
});

/** Stops the reply: the model would go on to the end of its context. */
async function stop(): Promise<void> {
  await page.getByText(/Writing/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await replies(page).last().getByText('Stopped.').waitFor();
}
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function attach(): Promise<void> {
  const attached = page.getByRole('list', { name: 'Attached' });
  if (await attached.isVisible()) return;
  const buffer = Buffer.from(plainPng([200, 30, 30]));
  await page.getByLabel(/^Attach /).setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer });
  await attached.waitFor();
}

/** The rules that are about colours. A theme changes nothing else. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe finds, by these rules or by all. */
async function seriousViolations(rules?: string[]): Promise<string[]> {
  const { violations } = await page.evaluate(
    (runOnly) => globalThis.axe.run({ resultTypes: ['violations'], ...(runOnly && { runOnly }) }),
    rules,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const attachText = async () => {
  await openConversation('A file');
  await page.locator('.sent-file summary').click();
  const list = page.getByRole('list', { name: 'Attached' });
  if (await list.isVisible()) return;
  const buffer = Buffer.from('words\n');
  await page.getByLabel(/^Attach /).setInputFiles({ name: `${'long '.repeat(20)}.txt`, mimeType: '', buffer });
  await list.waitFor();
};

const offerPrompts = async () => {
  await openConversation('A file');
  await page.locator('#message').fill('');
  await page.locator('#message').fill('/');
  await page.getByRole('listbox').waitFor();
};

const openPrompts = async () => {
  await offerPrompts();
  await page.getByRole('option').last().click();
  await page.getByRole('button', { name: 'New prompt' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('translate');
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Translate this:');
  await page.getByRole('button', { name: 'Save' }).click();
  // A second time, the name is taken.
  if (await page.getByRole('button', { name: 'Cancel' }).isVisible())
    await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Edit translate' }).click();
};

const openChats = async () => {
  const nav = page.getByRole('navigation', { name: 'Chats' });
  if (!(await nav.isVisible())) await page.getByRole('button', { name: 'Chats' }).click();
};

const openConversation = async (title: string) => {
  await openChats();
  const nav = page.getByRole('navigation', { name: 'Chats' });
  await nav.getByRole('button', { name: title, exact: true }).click();
  await replies(page).first().waitFor();
};

const askAgain = async () => {
  await openConversation('What is this?');
  await page.getByRole('button', { name: 'Retry' }).last().click();
  await stop();
  await page.getByRole('group', { name: 'Versions' }).last().waitFor();
};

const openRich = async () => {
  await openConversation('Formulas and diagrams');
  await page.locator('.formula.display .katex').waitFor();
  await page
    .getByRole('img', { name: /^Diagram/ })
    .nth(1)
    .waitFor();
  await page.getByText('More of it').scrollIntoViewIfNeeded();
  await page.locator('.hljs-keyword').first().waitFor();
};

const unfoldSettings = async () => {
  await page.getByRole('button', { name: 'Settings of this chat' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settings of this chat' });
  for (const part of ['Presets', 'More sampling settings', 'Response format']) {
    await dialog.getByText(part, { exact: true }).click();
  }
  await dialog.getByLabel('Save these settings as').fill('A preset');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Delete A preset' }).last().click();
  await dialog.getByRole('button', { name: 'Undo' }).click();
};

const compareTwo = async () => {
  await openConversation('A pair');
  const group = page.getByRole('group', { name: 'Two replies to compare' });
  if (await group.isVisible()) return;
  await page.getByRole('button', { name: 'Settings of this chat' }).click();
  await page.getByLabel('Compare with').selectOption('tiny');
  await page.keyboard.press('Escape');
  await say(page, 'Which one?');
  await group
    .getByText(/Writing/)
    .nth(1)
    .waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await group.getByText('Stopped.').nth(1).waitFor();
};

const editReply = async () => {
  await openConversation('A failed reply');
  const more = page.getByRole('button', { name: 'More about this reply' });
  if ((await more.getAttribute('aria-expanded')) !== 'true') await more.click();
  await page.getByRole('button', { name: 'Edit the reply' }).click();
};

const findMore = async () => {
  await openChats();
  // All titles have this letter, so that the next views find their chats.
  await page.getByRole('searchbox', { name: 'Search chats' }).fill('i');
  await page.locator('.chat-excerpt:visible').first().waitFor();
  await page.getByRole('button', { name: 'More about All there is in a reply' }).click();
};

const openFolder = async () => {
  await openChats();
  const folder = page.getByRole('button', { name: 'More about the folder Odds and ends' });
  if (!(await folder.isVisible())) {
    await page.getByRole('button', { name: 'More about A file' }).click();
    await page.getByRole('button', { name: 'Move to a folder…' }).click();
    await page.getByRole('textbox', { name: 'New folder' }).fill('Odds and ends');
    await page.keyboard.press('Enter');
  }
  if ((await folder.getAttribute('aria-expanded')) !== 'true') await folder.click();
  await page.getByRole('button', { name: 'More about A pair' }).click();
  await page.getByRole('button', { name: 'Move to a folder…' }).click();
  await page.getByRole('textbox', { name: 'New folder' }).waitFor();
};

const openToolServers = async () => {
  await page.getByRole('button', { name: 'Settings of this chat' }).click();
  await page.getByRole('button', { name: 'Tool servers…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tool servers' });
  await dialog.getByText('can’t be reached').waitFor();
  await dialog.getByText('Tools', { exact: true }).click();
  await dialog.getByText('With a key').click();
};

const chooseChats = async () => {
  await openChats();
  await page.getByRole('button', { name: 'Select chats to delete' }).click();
  await page.getByRole('checkbox', { name: 'A failed reply' }).check();
};

const leaveOut = async () => {
  await openConversation('A full context');
  const mark = page.getByRole('region', { name: 'Left out' });
  if (await mark.isVisible()) return;
  await page.getByRole('button', { name: 'Summarise the oldest messages' }).click();
  await mark.getByRole('textbox').waitFor();
};

const openMoreOfModel = async () => {
  await page.locator('.model-button').click();
  const dialog = page.getByRole('dialog', { name: 'Models' });
  await dialog.getByRole('button', { name: 'More about Pico' }).click();
};

/** The views to check, and how to reach them. Escape leaves each of them. */
const VIEWS: [string, () => Promise<void>][] = [
  ['a reply with all there is', () => openConversation('All there is in a reply')],
  ['formulas, code, diagrams and notes', openRich],
  ['a failed reply', () => openConversation('A failed reply')],
  ['a full context and its choices', () => openConversation('A full context')],
  ['turns that are left out, and their summary', leaveOut],
  ['the models, and what can be done with one', openMoreOfModel],
  ['pictures, sent and attached', () => openConversation('What is this?').then(attach)],
  ['files of text, sent and attached', attachText],
  ['prompts to choose from', offerPrompts],
  ['the prompts', openPrompts],
  ['what Enter does, and the shortcuts', () => page.keyboard.press('Control+/')],
  ['two versions of a reply', askAgain],
  ['all settings', unfoldSettings],
  ['the editor of a reply', editReply],
  ['two replies to compare', compareTwo],
  ['the settings', () => page.getByRole('button', { name: 'Settings of this chat' }).click()],
  ['the tool servers', openToolServers],
  ['what was found, and what can be done with a chat', findMore],
  ['the choice of chats', chooseChats],
  ['a folder, and where a chat can be moved', openFolder],
];

describe.each([1280, 320])('the chat page, %i px wide,', (width) => {
  beforeAll(async () => {
    await page.setViewportSize({ width, height: 720 });
  });

  it.each(VIEWS)('has no serious violation in %s, light and dark, and scrolls sideways nowhere', async (view, show) => {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await show();
    expect(await seriousViolations()).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await shoot(`light ${width} ${view}`);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    expect(await seriousViolations(OF_COLOURS)).toEqual([]);
    await shoot(`dark ${width} ${view}`);
    await page.keyboard.press('Escape');
    // It leaves what is open in the list first, and then the list.
    if ((await page.locator('dialog[open]').count()) > 0) await page.keyboard.press('Escape');
  });
});

/** Keeps a picture of the page where `PADDOCK_SCREENSHOTS` names a folder for them. */
async function shoot(name: string): Promise<void> {
  const shots = process.env.PADDOCK_SCREENSHOTS;
  if (shots) await page.screenshot({ path: `${shots}/${name}.png`.replaceAll(' ', '-') });
}

describe('the theme', () => {
  it('is the chosen one, whatever the system prefers, also at the next visit', async () => {
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.emulateMedia({ colorScheme: 'light' });
    const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await colour();
    await page.getByText('Dark', { exact: true }).click();
    const chosen = await colour();
    expect(chosen).not.toBe(light);
    await page.reload();
    await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor({ state: 'attached' });
    expect(await colour()).toBe(chosen);
  });
});

describe('the keyboard', () => {
  it('can jump to the message before everything else', async () => {
    await page.goto(server.url);
    await untilModel(page);
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
    await page.evaluate(() => (document.querySelector('.skip') as HTMLElement).focus());
    expect(await focused()).toBe('Skip to the message');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('New chat');
    await page.evaluate(() => (document.querySelector('.skip') as HTMLElement).focus());
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
  });
});
