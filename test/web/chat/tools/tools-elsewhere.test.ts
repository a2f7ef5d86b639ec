import { describe, expect, inject, it, vi } from 'vitest';
import { launchBrowser } from '../../../kit/browser/browser.ts';
import { FIREFOX, type FirefoxTab, launchFirefox } from '../../../kit/browser/firefox.ts';
import { startPaddockSite, untilServed } from '../../../kit/browser/paddock-page.ts';
import { startMcpServer } from '../../../kit/servers/mcp-server.ts';
import { callsOf, listedModel, startStandIn, textOf as textEvents } from '../stand-in.ts';
import { conversationOf, importChats, openChat } from '../support.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Runs in a page. Has the worker for one origin ask a server; it says "listed", or why not. */
async function askWorker({ connect, url }: { connect: string; url: string }): Promise<string> {
  const script = new URL('mcp/worker.js', document.baseURI);
  script.searchParams.set('connect', new URL(connect).origin);
  const worker = new Worker(script, { type: 'module' });
  const answered = new Promise<string>((resolve) => {
    worker.onmessage = ({ data }) => resolve(data.kind === 'listed' ? 'listed' : data.message);
    worker.onerror = () => resolve('the worker did not load');
  });
  worker.postMessage({ kind: 'open', url, header: null });
  worker.postMessage({ kind: 'list', id: 1 });
  return answered;
}

describe('tools on a static host', () => {
  it('run by a worker whose policy comes from the service worker', async () => {
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    await using mcp = await startMcpServer({ origin: site.url });
    await using other = await startMcpServer({ origin: site.url });
    await using browser = await launchBrowser();
    const page = await openChat(browser.open, `${site.url}/`);
    page.setDefaultTimeout(60_000);
    await untilServed(page);
    expect(await page.evaluate(askWorker, { connect: mcp.url, url: mcp.url })).toBe('listed');
    expect(await page.evaluate(askWorker, { connect: mcp.url, url: other.url })).toContain('can’t be reached');
    const call = { id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } };
    await importChats(page, [conversationOf('An open call', '', { calls: [call] })]);
    await page.getByRole('button', { name: 'An open call', exact: true }).click();
    await page.getByRole('button', { name: 'Settings of this chat' }).click();
    await page.getByText('Tools', { exact: true }).click();
    await page.getByRole('button', { name: 'Tool servers…' }).click();
    await page.getByRole('textbox', { name: 'Address of a server' }).fill(mcp.url);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('Connected: 3 tools.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Run once' }).click();
    await page.getByText('Result').first().waitFor();
    expect(mcp.calls).toEqual([['get_weather', { city: 'Rome' }]]);
  });
});

describe.skipIf(FIREFOX === null)('tools in Firefox', () => {
  it('run after consent, by a worker that may call its server alone', async () => {
    await using server = await startStandIn([listedModel('Words')], ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? textEvents(`The tool says: ${messages.at(-1)?.content}`)
        : callsOf(['get_weather', { city: 'Rome' }]),
    );
    await using mcp = await startMcpServer({ origin: server.url });
    await using other = await startMcpServer({ origin: server.url });
    await using firefox = await launchFirefox();
    const tab: FirefoxTab = await firefox.open(server.url);
    await tab.untilText(/Talk to/);
    expect(await tab.page.evaluate(askWorker, { connect: mcp.url, url: other.url })).toContain('can’t be reached');
    await tab.click('Settings of this chat');
    await tab.page.locator('.tools-section > summary').click();
    await tab.click('Tool servers…');
    await tab.page.type('.add-tool-server input', mcp.url);
    await tab.click('Add');
    await tab.untilText(/Connected: 3 tools/);
    await tab.page.keyboard.press('Escape');
    await tab.say('Ask it.');
    await tab.click('Run once');
    await tab.untilText(/The tool says: It rains in/);
    expect(tab.errors).toEqual([]);
  });
});
