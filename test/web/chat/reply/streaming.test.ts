import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { type ScriptedReply, scriptReply } from '../../../kit/scripted-reply.ts';
import type { RunningServer } from '../../../kit/servers/server.ts';
import { startChatServer } from '../grounds.ts';
import { chooseModel, exceptionsOf, openChat, replies, say, textOf, untilStatus } from '../support.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let server: RunningServer;
let browser: TestBrowser;
let page: Page;
let reply: ScriptedReply;
let failures: string[];

beforeAll(async () => {
  server = await startChatServer();
  browser = await launchBrowser();
  page = await openChat(browser.open, server.url);
  page.setDefaultTimeout(40_000);
  failures = exceptionsOf(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function begin(): Promise<void> {
  await page.getByRole('button', { name: 'New chat' }).click();
  reply = await scriptReply(page);
  await say(page, 'Tell me.');
  await reply.asked;
}
afterEach(() => reply[Symbol.asyncDispose]());

const prose = () => replies(page).last().locator('.prose');

async function end(): Promise<void> {
  reply.end();
  await replies(page).last().getByRole('button', { name: 'Retry' }).waitFor();
}

/**
 * Notes the tag of every element that changes from now on in a part that was finished: two others followed it, and if it
 * is code it was coloured.
 */
async function watchFinishedParts(): Promise<() => Promise<string[]>> {
  await prose().evaluate((text) => {
    const changed: string[] = [];
    const finishedNow = () =>
      new Set(
        [...text.children]
          .slice(0, -2)
          .filter((part) => part.tagName !== 'FIGURE' || part.querySelector('.hljs-keyword')),
      );
    let finished = finishedNow();
    Object.assign(globalThis, { changed });
    new MutationObserver((records) => {
      for (const { target } of records) {
        const part = [...text.children].find((child) => child.contains(target));
        if (part && finished.has(part)) changed.push(part.tagName);
      }
      finished = finishedNow();
    }).observe(text, { childList: true, subtree: true, characterData: true, attributes: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { changed: string[] }).changed);
}

describe('a reply that grows', () => {
  it('is drawn at its end only: finished parts stay the elements that they were', async () => {
    await begin();
    const parts = Array.from({ length: 120 }, (_, index) => {
      const kinds = [
        `## Part ${index}\n\n`,
        `Some **words** about $x_{${index}}$ and a [link](https://example.org/${index}).\n\n`,
        `- one\n- two \`${index}\`\n\n`,
        `\`\`\`js\nconst a${index} = ${index};\n\`\`\`\n\n`,
        `| a | b |\n|---|---|\n| ${index} | 2 |\n\n`,
      ];
      return kinds[index % kinds.length] as string;
    });
    // What has to be fetched first comes with the first parts.
    for (const part of parts.slice(0, 10)) reply.say(part);
    reply.say('Ready.\n\n');
    await prose().locator('.katex').first().waitFor();
    await prose().locator('.hljs-keyword').first().waitFor();
    await prose().evaluate((text) => {
      for (const child of text.children) Object.assign(child, { marked: true });
    });
    const changes = await watchFinishedParts();
    for (const part of parts.slice(10)) {
      reply.say(part.slice(0, 5));
      reply.say(part.slice(5));
    }
    reply.say('The end.');
    await prose().getByText('The end.').waitFor();
    await end();
    expect(await changes()).toEqual([]);
    const marked = await prose().evaluate((text) => [...text.children].filter((child) => 'marked' in child).length);
    expect(marked).toBe(11);
    expect(await prose().locator('.katex').count()).toBe(24);
    expect(await prose().locator('table').count()).toBe(24);
  });

  it('shows a formula as it is written until it is complete, and then typeset', async () => {
    await begin();
    reply.say('So:\n\n$$\nx_1 + x_');
    await prose().locator('.formula.source').waitFor();
    expect(await textOf(prose())).toContain('x_1 + x_');
    expect(await prose().locator('em, .katex').count()).toBe(0);
    reply.say('2\n$$\n\nDone.');
    await prose().locator('.katex-display').waitFor();
    await end();
  });

  it('shows a table from its second line on, and never its first one as a paragraph', async () => {
    await begin();
    reply.say('Here:\n\n| a | b |');
    await prose().getByText('Here:').waitFor();
    const changed = await prose().evaluateHandle((text) => {
      const texts: string[] = [];
      new MutationObserver(() => texts.push(text.textContent ?? '')).observe(text, { childList: true, subtree: true });
      return texts;
    });
    reply.say('\n|--');
    reply.say('-|---|\n| 1 ');
    await prose().getByRole('table').waitFor();
    reply.say('| 2 |\n\nAfter.');
    await prose().getByText('After.').waitFor();
    expect((await changed.jsonValue()).filter((text) => text.includes('|'))).toEqual([]);
    await end();
  });

  it('draws a diagram once it is complete, and not before', async () => {
    await begin();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    reply.say('```mermaid\ngraph TD\n  A --> B\n');
    await prose().locator('pre', { hasText: 'A --> B' }).waitFor();
    expect(requests.filter((path) => path.startsWith('/diagrams/'))).toEqual([]);
    reply.say('  B --> C\n```\n\nSo much.');
    await prose()
      .getByRole('img', { name: /^Diagram/ })
      .waitFor();
    expect(await prose().getByText('not drawn').count()).toBe(0);
    await end();
  });

  it.each([
    ['**bo', '**bo'],
    ['$x^', '$x^'],
    ['| a | b |\n|--', '| a | b ||--'],
    ['<details><summary>Mo', 'Mo'],
    ['A note[^1', 'A note[^1'],
    ['```ts', 'ts'],
  ])('may end in the middle of anything: %j', async (unfinished, shown) => {
    await begin();
    reply.say(`Words.\n\n${unfinished}`);
    await prose().getByText('Words.').waitFor();
    await end();
    expect(await textOf(prose())).toBe(`Words.${shown}`);
  });

  it('says what its model runs on from its first word on: the model was loaded for it', async () => {
    await chooseModel(page, 'tiny');
    await begin();
    const moving = [{ id: 'tiny', state: 'loading', waiting: 1 }];
    const loaded = { id: 'tiny', backend: 'cpu', device: 'cpu', fallback_reasons: [], context_length: 128, memory: 1 };
    let health: object = { status: 'ok', models: [], moving };
    await page.route('**/health', (route) => route.fulfill({ json: health }));
    try {
      await untilStatus(page, 'Being loaded into memory…');
      health = { status: 'ok', models: [{ ...loaded, busy: 1, waiting: 0 }], moving: [] };
      reply.say('Here ');
      await untilStatus(page, 'Runs on the CPU, context of 128 tokens.');
      await end();
    } finally {
      await page.unroute('**/health');
    }
  });

  it('had no errors', () => {
    expect(failures).toEqual([]);
  });
});
