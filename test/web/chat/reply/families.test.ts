import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createServerClient } from '../../../../src/cli/client/client.ts';
import { streamReplyToScreen } from '../../../../src/cli/client/reply.ts';
import { plain } from '../../../../src/serve/output.ts';
import { noBundle, readBundle } from '../../../chat/bundle/bundle.ts';
import { scriptOf } from '../../../chat/bundle/family-reply.ts';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { writeScriptedModel } from '../../../kit/models/scripted-model.ts';
import { type RunningServer, startServer } from '../../../kit/servers/server.ts';
import { chooseModel, openChat, replies, say, textOf } from '../support.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

/** The chat templates, by the ids of the models: the first is the one that the others are compared with. */
const FAMILIES = {
  qwen: 'Qwen-Qwen3-0.6B',
  'minimax-m2': 'MiniMax-M2',
  'minimax-m3': 'MiniMax-M3',
  lfm2: 'LFM2.5-8B-A1B',
  'deepseek-v4': 'deepseek-ai-DeepSeek-V4',
};
const THOUGHTS = 'Adding both numbers needs the calculator.';
const CALL = {
  tool: { name: 'calculate', parameters: { type: 'object', properties: { expression: { type: 'string' } } } },
  arguments: { expression: '17 + 25' },
};

describe.skipIf(noBundle)(`thoughts and calls of families${noBundle ? ` (skipped: ${noBundle})` : ''}`, () => {
  let folder: string;
  let server: RunningServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paddock-families-'));
    const { templates } = readBundle();
    for (const [id, name] of Object.entries(FAMILIES)) {
      const script = scriptOf(templates.get(name) ?? '', { thoughts: THOUGHTS, ...CALL });
      writeScriptedModel(join(folder, `${id}.gguf`), script);
    }
    server = await startServer(['--models', folder, '--backend', 'cpu', '--threads', '1']);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await rm(folder, { recursive: true });
  });

  // The model calls the calculator after each result again, so each test has a page of its own.
  it.each(Object.keys(FAMILIES))('are shown by the chat page: %s', async (id) => {
    const page = await openChat(browser.open, server.url);
    onTestFinished(() => page.close());
    page.setDefaultTimeout(100_000);
    await page.getByRole('button', { name: 'New chat' }).click();
    await useCalculator(page);
    await chooseModel(page, id);
    await say(page, 'What is 17 + 25?');
    const reply = replies(page).first();
    const call = reply.getByRole('region', { name: 'Call of calculate' });
    await call.first().waitFor();
    await call.first().getByText('42').first().waitFor({ state: 'attached' });
    expect(await textOf(call.first())).toContain('17 + 25');
    const shown = await textOf(reply);
    expect(shown).toContain(THOUGHTS);
    expect(shown).not.toMatch(/[<>|\]]|invoke|tool_call|DSML/);
  });

  it.each(Object.keys(FAMILIES))('are shown by the terminal, and called in a stream: %s', async (id) => {
    let screen = '';
    const write = (text: string) => {
      screen += text;
    };
    const body = { model: id, messages: [{ role: 'user' as const, content: 'What is 17 + 25?' }] };
    const client = createServerClient(server.url, undefined);
    const { signal } = new AbortController();
    await streamReplyToScreen(client, body, { write, colours: plain, showReasoning: true }, signal);
    expect(screen).toMatch(new RegExp(`^${THOUGHTS}`));
    expect(screen.slice(THOUGHTS.length)).not.toMatch(/think>/);

    const tools = [{ type: 'function', function: CALL.tool }];
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, tools }),
    });
    expect(await response.json()).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            reasoning_content: THOUGHTS,
            tool_calls: [{ function: { name: 'calculate', arguments: expect.stringContaining('17 + 25') } }],
          },
        },
      ],
    });
  });
});

async function useCalculator(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings of this chat' }).click();
  const settings = page.getByRole('dialog', { name: 'Settings of this chat' });
  const box = settings.getByRole('checkbox', { name: /^Calculator/ });
  if (!(await box.isVisible())) await settings.getByText('Tools', { exact: true }).click();
  await box.check();
  await page.keyboard.press('Escape');
}
