import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { startMcpServer, type TestMcpServer } from '../../../kit/servers/mcp-server.ts';
import { type Asked, callsOf, listedModel, type StandIn, startStandIn, textOf as textEvents } from '../stand-in.ts';
import { openChat, reload, replies, say, textOf, untilModel } from '../support.ts';

vi.setConfig({ testTimeout: 60_000 });

let server: StandIn;
let browser: TestBrowser;
let mcp: TestMcpServer;
let page: Page;
/** The names of the tools that the model was last told of. */
let told: string[];

/**
 * A model that does what it is told: `get_weather {"city":"Rome"}; break {}` calls these tools, `for ever` calls the calculator
 * after each result, and any other results it repeats.
 */
function answer({ messages, tools = [] }: Asked): object[] {
  told = tools.map((tool) => tool.function.name);
  const question = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (question === 'for ever') return callsOf(['calculate', { expression: '1+1' }]);
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
  const results = messages.slice(last + 1).map(({ content }) => content);
  if (results.length > 0) return textEvents(`The tools say: ${results.join(' | ')}`);
  if (!question.includes('{')) return textEvents('Hello.');
  const calls = question.split(';').map((call): [string, object] => {
    const [name = '', given = '{}'] = call.trim().split(/ (.*)/);
    return [name, JSON.parse(given)];
  });
  return callsOf(...calls);
}

beforeAll(async () => {
  server = await startStandIn([listedModel('Words')], answer);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(async () => {
  mcp = await startMcpServer({ origin: server.url });
  page = await openChat(browser.open, server.url);
  page.setDefaultTimeout(10_000);
});
afterEach(async () => {
  await page.evaluate(() => localStorage.clear());
  await page.close();
  await mcp.stop();
});

const serversDialog = (on = page) => on.getByRole('dialog', { name: 'Tool servers' });
const lastReply = (on = page) => replies(on).last();
const call = (name: string, on = page) => on.getByRole('region', { name: `Call of ${name}` }).last();

async function openServers(): Promise<void> {
  await page.getByRole('button', { name: 'Settings of this chat' }).click();
  const settings = page.getByRole('dialog', { name: 'Settings of this chat' });
  const button = settings.getByRole('button', { name: 'Tool servers…' });
  if (!(await button.isVisible())) await settings.getByText('Tools', { exact: true }).click();
  await button.click();
}

async function addServer(url: string, key?: string): Promise<void> {
  await openServers();
  const dialog = serversDialog();
  await dialog.getByRole('textbox', { name: 'Address of a server' }).fill(url);
  if (key !== undefined) {
    await dialog.getByText('With a key').click();
    await dialog.getByLabel('Value').fill(key);
  }
  await dialog.getByRole('button', { name: 'Add' }).click();
}

/** Adds the server of the test, and waits until its tools are known. */
async function addTools(): Promise<void> {
  await addServer(mcp.url);
  await serversDialog().getByText('Connected: 3 tools.').waitFor();
  await page.keyboard.press('Escape');
}

async function useCalculator(): Promise<void> {
  await page.getByRole('button', { name: 'Settings of this chat' }).click();
  const settings = page.getByRole('dialog', { name: 'Settings of this chat' });
  const box = settings.getByRole('checkbox', { name: /^Calculator/ });
  if (!(await box.isVisible())) await settings.getByText('Tools', { exact: true }).click();
  await box.check();
  await page.keyboard.press('Escape');
}

describe('a tool server', () => {
  it('is asked only after consent; its result is shown folded, as text, and the reply goes on', async () => {
    await addTools();
    await say(page, 'get_weather {"city":"Rome"}');
    await call('get_weather').getByRole('button', { name: 'Run once' }).waitFor();
    expect(told).toEqual(['get_weather', 'wait', 'break']);
    expect(await textOf(call('get_weather'))).toContain('Rome');
    expect(mcp.calls).toEqual([]);
    await call('get_weather').getByRole('button', { name: 'Run once' }).click();
    await lastReply().getByText('The tools say: It rains in').waitFor();
    expect(mcp.calls).toEqual([['get_weather', { city: 'Rome' }]]);
    const result = call('get_weather').getByText('It rains in <b>Rome</b>.');
    expect(await result.isVisible()).toBe(false);
    await call('get_weather').getByText('Result').click();
    expect(await result.isVisible()).toBe(true);
    await reload(page);
    await untilModel(page);
    await lastReply().getByText('The tools say: It rains in').waitFor();
    // The next one is asked for again.
    await say(page, 'get_weather {"city":"Oslo"}');
    await call('get_weather').getByRole('button', { name: 'Run once' }).waitFor();
    expect(mcp.calls).toHaveLength(1);
  });

  it('runs without asking what was always allowed in a chat, in no other chat, and no more once it is taken back', async () => {
    await addTools();
    await say(page, 'get_weather {"city":"Rome"}');
    await call('get_weather').getByRole('button', { name: 'Always in this chat' }).click();
    await lastReply().getByText('It rains in').waitFor();
    await say(page, 'get_weather {"city":"Oslo"}');
    await lastReply().getByText('The tools say: It rains in Oslo').waitFor();
    await page.getByRole('button', { name: 'Settings of this chat' }).click();
    await page.getByText('These run without asking: get_weather.').waitFor();
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.keyboard.press('Escape');
    await say(page, 'get_weather {"city":"Lima"}');
    await call('get_weather').getByRole('button', { name: 'Always in this chat' }).click();
    await lastReply().getByText('It rains in Lima').waitFor();
    await page.getByRole('button', { name: 'New chat' }).click();
    await say(page, 'get_weather {"city":"Bonn"}');
    await call('get_weather').getByRole('button', { name: 'Run once' }).waitFor();
    expect(mcp.calls).toHaveLength(3);
  });

  it('gets several calls at once; the model is told of failures and refusals', async () => {
    await addTools();
    await say(page, 'get_weather {"city":"Rome"}; break {}; get_weather {"city":"Oslo"}; get_weather {"town":"x"}');
    const open = lastReply().getByRole('button', { name: 'Run once' });
    await expect.poll(() => open.count()).toBe(4);
    await lastReply().getByRole('region').nth(2).getByRole('button', { name: 'No', exact: true }).click();
    await expect.poll(() => open.count()).toBe(3);
    await lastReply().getByText('Not run').waitFor();
    for (let left = 3; left > 0; left -= 1) {
      await open.first().click();
      await expect.poll(() => open.count()).toBeLessThan(left);
    }
    const text = await textOf(lastReply().getByText('The tools say:'));
    for (const result of ['It rains in', 'The tool is broken.', 'The user did not let this call run.', 'city'])
      expect(text).toContain(result);
    expect(await page.getByText('It failed').count()).toBe(2);
  });

  it('is told when a call is stopped, and the call can be run again', async () => {
    await addTools();
    await say(page, 'wait {}');
    await call('wait').getByRole('button', { name: 'Run once' }).click();
    await expect.poll(() => mcp.calls).toEqual([['wait', {}]]);
    await call('wait').getByText('Running…').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await call('wait').getByText('It was begun before').waitFor();
    await expect.poll(() => mcp.cancelled).toEqual(['wait']);
    expect(await replies(page).count()).toBe(1);
    await call('wait').getByRole('button', { name: 'No', exact: true }).click();
    await lastReply().getByText('The tools say: The user did not let').waitFor();
  });

  it('is asked by one tab only, and all show its result', async () => {
    await addTools();
    await say(page, 'get_weather {"city":"Rome"}; wait {}');
    await call('wait').getByRole('button', { name: 'Run once' }).waitFor();
    const other = await browser.open(page.url());
    await untilModel(other);
    await call('wait', other).getByRole('button', { name: 'Run once' }).click();
    await call('wait').getByText('Another tab runs').waitFor();
    await call('get_weather').getByText('Another tab runs').waitFor();
    await call('get_weather', other).getByRole('button', { name: 'Run once' }).click();
    await call('get_weather').getByText('Result').waitFor();
    expect(mcp.calls.map(([tool]) => tool).toSorted()).toEqual(['get_weather', 'wait']);
    // Any tab can stop it.
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => mcp.cancelled).toEqual(['wait']);
    await call('wait').getByRole('button', { name: 'No', exact: true }).click();
    await lastReply(other).getByText('The tools say:').waitFor();
    await other.close();
  });

  it('that has started again, and knows the session no more, is asked on a new one', async () => {
    await addTools();
    await mcp.forget();
    await say(page, 'get_weather {"city":"Rome"}');
    await call('get_weather').getByRole('button', { name: 'Run once' }).click();
    await lastReply().getByText('The tools say: It rains in').waitFor();
  });

  it('that is gone is a result for the model', async () => {
    await addTools();
    await mcp.stop();
    await say(page, 'get_weather {"city":"Rome"}');
    await call('get_weather').getByRole('button', { name: 'Run once' }).click();
    await lastReply().getByText('The tools say: Error: The server can’t be reached.').waitFor();
    mcp = await startMcpServer();
  });

  it('has tools that can be switched off, and can be removed and brought back', async () => {
    await addTools();
    await openServers();
    await serversDialog().getByText('Tools', { exact: true }).click();
    await serversDialog().getByRole('checkbox', { name: /^wait/ }).uncheck();
    await serversDialog().getByText('Connected: 3 tools, 2 switched on.').waitFor();
    await page.keyboard.press('Escape');
    await say(page, 'Hello');
    await lastReply().getByText('Hello.').waitFor();
    expect(told).toEqual(['get_weather', 'break']);
    await openServers();
    await serversDialog().getByRole('button', { name: 'Remove Test tools' }).click();
    await serversDialog().getByText('Removed Test tools.').waitFor();
    expect(await page.evaluate(() => localStorage.getItem('paddock-tool-servers'))).toBeNull();
    await serversDialog().getByRole('button', { name: 'Undo' }).click();
    await serversDialog().getByText('Connected: 3 tools, 2 switched on.').waitFor();
    await serversDialog().getByRole('button', { name: 'Reconnect Test tools' }).click();
    await serversDialog().getByText('Connected: 3 tools, 2 switched on.').waitFor();
  });

  it('says what it has to allow if it lets no page call it', async () => {
    await using closed = await startMcpServer();
    await addServer(closed.url);
    const said = `The server is there, but does not let this page call it. It has to allow the origin ${server.url}`;
    await serversDialog().getByText(said).waitFor();
  });

  it('says that it wants a key, and gets the one that it was added with', async () => {
    await using locked = await startMcpServer({ origin: server.url, key: 'Bearer secret' });
    await addServer(locked.url);
    await serversDialog().getByText('The server wants a key, or not this one').waitFor();
    await serversDialog()
      .getByRole('button', { name: /^Remove/ })
      .click();
    await serversDialog().getByRole('textbox', { name: 'Address of a server' }).fill(locked.url);
    await serversDialog().getByText('With a key').click();
    await serversDialog().getByLabel('Value').fill('Bearer secret');
    await serversDialog().getByRole('button', { name: 'Add' }).click();
    await serversDialog().getByText('Connected: 3 tools.').waitFor();
  });

  it('is called by a worker that may call it alone; the page may not', async () => {
    await addTools();
    await using other = await startMcpServer({ origin: server.url });
    const reached = await page.evaluate(tryCalls, { allowed: mcp.url, other: other.url });
    expect(reached).toEqual({ page: 'blocked', workerAllowed: 'reached', workerOther: 'blocked', eval: 'blocked' });
  });
});

describe('the calculator', () => {
  it('is switched on in a chat, runs without asking, and says what it can not do', async () => {
    await useCalculator();
    await say(page, 'calculate {"expression":"0.1 + 0.2"}; calculate {"expression":"x + 1"}');
    await lastReply().getByText('The tools say: 0.3 | Error: “x” at character 1 is not known.').waitFor();
    expect(told).toEqual(['calculate']);
    await page.getByRole('button', { name: 'New chat' }).click();
    await say(page, 'Hello');
    await lastReply().getByText('Hello.').waitFor();
    expect(told).toEqual([]);
  });

  it('asks a person after ten replies that call it, so that nothing goes on for ever', async () => {
    await useCalculator();
    await say(page, 'for ever');
    await lastReply().getByText('10 replies in a row have called tools.').waitFor();
    expect(await replies(page).count()).toBe(11);
    await lastReply().getByRole('button', { name: 'Run once' }).click();
    await expect.poll(() => replies(page).count()).toBe(12);
    await lastReply().getByText('10 replies in a row have called tools.').waitFor();
    expect(await replies(page).count()).toBe(12);
  });
});

/** Runs in the page: tries what its policies allow. */
async function tryCalls({ allowed, other }: { allowed: string; other: string }): Promise<Record<string, string>> {
  const outcome = (reaching: Promise<unknown>) =>
    reaching.then(
      () => 'reached',
      () => 'blocked',
    );
  const fromWorker = (url: string) => {
    const script = new URL('mcp/worker.js', document.baseURI);
    script.searchParams.set('connect', new URL(allowed).origin);
    const worker = new Worker(script, { type: 'module' });
    const answered = new Promise<string>((resolve) => {
      worker.onmessage = ({ data }) => resolve(data.kind === 'listed' ? 'reached' : 'blocked');
    });
    worker.postMessage({ kind: 'open', url, header: null });
    worker.postMessage({ kind: 'list', id: 1 });
    return answered;
  };
  const evaluating = async () => new Function('return 1')();
  return {
    page: await outcome(fetch(allowed, { mode: 'no-cors' })),
    workerAllowed: await fromWorker(allowed),
    workerOther: await fromWorker(other),
    eval: await outcome(evaluating()),
  };
}
