import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { startPaddockSite, untilServed } from '../../../kit/browser/paddock-page.ts';
import { startChatServer } from '../grounds.ts';
import { conversationOf, failuresOf, importChats, openChat, reload, replies, textOf } from '../support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const DIAGRAM = '```mermaid\ngraph TD\n  A[Start] --> B{Well?}\n  B -->|yes| C[End]\n```';

/** Each of these would run `globalThis.ran = true`, leave the page or load something, if the page let it. */
const HOSTILE = [
  '<script>globalThis.ran = true</script><img src=x onerror="globalThis.ran = true"><svg onload="globalThis.ran = true">',
  '[a](javascript:globalThis.ran=true) [b](JaVaScRiPt&colon;globalThis.ran=true) [c](data:text/html,<script>1</script>) <javascript:alert(1)>',
  '![x](javascript:1) ![y](data:image/svg+xml;base64,PHN2Zy8+) <b onclick="globalThis.ran=true">bold</b>',
  '<details ontoggle="globalThis.ran = true" open><summary onclick="globalThis.ran=true">S<img src=x onerror="globalThis.ran=true"></summary>\n\nIn <style>body{display:none}</style>\n\n</details>',
  '$\\href{javascript:globalThis.ran=true}{x}$ $\\htmlData{a=b}{y}$ $\\includegraphics{https://example.org/x.png}$ $\\text{<img src=x onerror=globalThis.ran=true>}$',
  '$\\def\\a{\\a\\a}\\a$ and $\\rule{9999em}{9999em}$ and $\\raisebox{9999em}{up}$',
  '```js" onmouseover="globalThis.ran=true\n</code><script>globalThis.ran = true</script>\n```',
  '```mermaid\ngraph TD\n  A["<img src=x onerror=parent.ran=true>"] --> B["<script>parent.ran = true</script>"]\n  click A "javascript:parent.ran=true"\n  click B call globalThis.alert()\n```',
  '```mermaid\n%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "* { background: url(https://example.org/x.png) }"}}%%\ngraph LR\n  C["<b onmouseover=parent.ran=true>c</b>"] --> D\n```',
  '[^1" onclick="globalThis.ran=true]\n\n[^n]: <img src=x onerror="globalThis.ran = true">\n\nA note[^n].',
  `${'<b>'.repeat(5000)}deep`,
  `${'> '.repeat(300)}quoted`,
].join('\n\n');

/** A formula, code, and diagrams of two kinds. */
const TEXTS = {
  known: `$x_1$ and\n\n\`\`\`ts\nconst x = 1;\n\`\`\`\n\n${DIAGRAM}`,
  unknown: '```mermaid\nsequenceDiagram\n  A->>B: Hello\n```',
};

interface Ground {
  browser: TestBrowser;
  page: Page;
  url: string;
  /** What went wrong in the page, and what it asked other sites for. */
  failures: string[];
  close(): Promise<void>;
}

async function openGround(url: string, stop: () => Promise<unknown>): Promise<Ground> {
  const browser = await launchBrowser();
  const page = await openChat(browser.open, url);
  page.setDefaultTimeout(60_000);
  const failures = failuresOf(page);
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) failures.push(request.url());
  });
  const close = async () => {
    await browser.close();
    await stop();
  };
  return { browser, page, url, failures, close };
}

const GROUNDS: [string, () => Promise<Ground>][] = [
  [
    'a server',
    async () => {
      const server = await startChatServer();
      return openGround(server.url, server.stop);
    },
  ],
  [
    'a static site',
    async () => {
      const site = await startPaddockSite({ models: inject('modelsFolder') });
      const ground = await openGround(`${site.url}/`, site.stop);
      await untilServed(ground.page);
      await openChat(async () => ground.page, ground.url);
      return ground;
    },
  ],
];

/** Shows a reply with this text and returns the place of its text. */
async function show(page: Page, title: string, text: string): Promise<Locator> {
  await importChats(page, [conversationOf(title, text)]);
  await page.getByRole('navigation').getByRole('button', { name: title, exact: true }).click();
  const prose = replies(page).first().locator('.prose');
  await prose.waitFor();
  return prose;
}

/** Returns which edges of a box are shaded. They are compared with the middle, in a row of pixels above what is in it. */
async function shadedEdges(box: Locator): Promise<string[]> {
  const picture = (await box.screenshot()).toString('base64');
  return box.page().evaluate(async (encoded) => {
    const image = new Image();
    image.src = `data:image/png;base64,${encoded}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    context.drawImage(image, 0, 0);
    const brightness = (x: number) => context.getImageData(x, 3, 1, 1).data.reduce((sum, value) => sum + value);
    const middle = brightness(Math.floor(image.width / 2));
    const edges = { left: 1, right: image.width - 2 };
    return Object.entries(edges).flatMap(([edge, x]) => (middle - brightness(x) > 20 ? [edge] : []));
  }, picture);
}

describe.each(GROUNDS)('a reply on %s', (_, start) => {
  let ground: Ground;
  let page: Page;
  beforeAll(async () => {
    ground = await start();
    ({ page } = ground);
  });
  afterAll(() => ground?.close());
  beforeEach(() => page.setViewportSize({ width: 1280, height: 720 }));

  it('shows formulas, and leaves prices and unreadable ones as they are', async () => {
    const text =
      'It costs $5 and $6. Inline \\(O(n^2)\\) and $x_1$.\n\n$$\n\\int_0^1 x\\,dx = \\frac12\n$$\n\nBroken: $\\frac{1}$.';
    const prose = await show(page, 'Formulas', text);
    await prose.locator('.formula.display math').waitFor();
    expect(await prose.locator('.formula .katex').count()).toBe(3);
    expect(await textOf(prose)).toContain('It costs $5 and $6.');
    expect(await textOf(prose.locator('.formula.source'))).toBe('$\\frac{1}$');
    // KaTeX lays out by styles of its elements, which the page's policy must not refuse.
    const fraction = prose.locator('.formula.display .mfrac').first();
    expect(await fraction.evaluate((element) => element.getBoundingClientRect().height)).toBeGreaterThan(20);
    const fonts = () => page.evaluate(() => [...document.fonts].filter(({ status }) => status === 'loaded').length);
    await expect.poll(fonts).toBeGreaterThan(0);
  });

  it('colours code of languages that are known, and copies it as it was written', async () => {
    const prose = await show(
      page,
      'Code',
      '- in a list:\n  ```ts\n  const x: number = 1; // one\n  ```\n\n```nonsense\nlet y = 2;\n```\n\n```\nplain\n```',
    );
    await prose.locator('.hljs-keyword').waitFor();
    expect(await prose.locator('pre').allTextContents()).toEqual([
      'const x: number = 1; // one',
      'let y = 2;',
      'plain',
    ]);
    expect(await prose.locator('.code-block').nth(1).locator('span[class^=hljs]').count()).toBe(0);
  });

  it('draws diagrams as pictures, in the colours of the theme, and shows their code', async () => {
    const prose = await show(page, 'Diagrams', `${DIAGRAM}\n\n\`\`\`mermaid\ngraph nonsense (\n\`\`\``);
    const picture = prose.getByRole('img', { name: /^Diagram/ });
    await picture.waitFor();
    const size = await picture.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]);
    expect(Math.min(...size)).toBeGreaterThan(50);
    await prose.getByText('This diagram is not drawn').waitFor();
    const light = await picture.getAttribute('src');
    await page.getByText('Dark', { exact: true }).click();
    await expect.poll(() => picture.getAttribute('src')).not.toBe(light);
    await page.getByText('Light', { exact: true }).click();
    const code = prose.getByRole('button', { name: 'Show the code of the diagram' });
    await code.click();
    expect(await textOf(prose.locator('pre').first())).toContain('A[Start] --> B{Well?}');
    expect(await code.getAttribute('aria-pressed')).toBe('true');
    await code.click();
    await picture.waitFor();
  });

  it('leads from a footnote to its words and back, and unfolds details, by keyboard', async () => {
    const text =
      'First[^a] and second[^b], unknown[^c].\n\n[^a]: The *first* note.\n[^b]: The second.\n\n<details>\n<summary>More</summary>\n\n- inside\n\n</details>';
    const prose = await show(page, 'Notes', text);
    await prose.getByRole('button', { name: 'Footnote b', exact: true }).focus();
    await page.keyboard.press('Enter');
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    expect(await focused()).toContain('The second.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Footnote b');
    expect(await textOf(prose)).toContain('unknown[c]');
    expect(await prose.getByText('inside').isVisible()).toBe(false);
    await prose.getByText('More').focus();
    await page.keyboard.press('Enter');
    expect(await prose.getByText('inside').isVisible()).toBe(true);
    // The address names the conversation, and no note.
    expect(await page.evaluate(() => location.hash)).toBe('#id-of-Notes');
  });

  it('begins right-to-left words at the right, and keeps long words and wide tables within the column', async () => {
    const wide = `| ${Array.from({ length: 30 }, (_, index) => `column ${index}`).join(' | ')} |`;
    const text = [
      'שלום עולם, זה טקסט.',
      'Latin words.',
      '- مرحبا بالعالم',
      `A word: ${'w'.repeat(400)} and \`${'c'.repeat(400)}\``,
      `${wide}\n|${'---|'.repeat(30)}\n${wide}`,
      `$${Array.from({ length: 60 }, (_, index) => `x_{${index}}`).join('+')}$`,
      `$$${'\\frac{a}{b}+'.repeat(80)}c$$`,
    ].join('\n\n');
    const prose = await show(page, 'Directions', text);
    await page.setViewportSize({ width: 320, height: 720 });
    // The elements are others once the formulas are laid out.
    const directions = () =>
      prose.locator(':is(p, ul)').evaluateAll((all) => all.map((one) => getComputedStyle(one).direction));
    await expect.poll(async () => (await directions()).slice(0, 3)).toEqual(['rtl', 'ltr', 'rtl']);
    await prose.locator('.formula .katex').nth(1).waitFor();
    const over = await page.evaluate(() => {
      const frame = document.querySelector('.turns') as HTMLElement;
      return [document.documentElement.scrollWidth - innerWidth, frame.scrollWidth - frame.clientWidth];
    });
    expect(over).toEqual([0, 0]);
    expect(await prose.locator('.wide').evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
  });

  it('shades the edge behind which a wide diagram, table or code has more, and scrolls there by keyboard', async () => {
    const wide = `| ${Array.from({ length: 30 }, (_, index) => `column ${index}`).join(' | ')} |`;
    const steps = Array.from({ length: 12 }, (_, index) => `step${index}[Step ${index}]`).join(' --> ');
    const text = [
      `\`\`\`mermaid\ngraph LR\n  ${steps}\n\`\`\``,
      `${wide}\n|${'---|'.repeat(30)}\n${wide}`,
      `\`\`\`\nlet x = ${'1 + '.repeat(80)}1;\n\`\`\``,
      '```\nshort\n```',
    ].join('\n\n');
    const prose = await show(page, 'Wide', text);
    await page.setViewportSize({ width: 360, height: 720 });
    await prose.getByRole('img', { name: /^Diagram/ }).waitFor();
    const boxes = [
      prose.getByRole('group', { name: 'Diagram' }),
      prose.getByRole('region', { name: 'Table' }),
      prose.locator('pre').first(),
    ];
    for (const box of boxes) {
      expect(await shadedEdges(box)).toEqual(['right']);
      await box.focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => box.evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(20);
      await box.blur();
      await expect.poll(() => shadedEdges(box)).toEqual(['left', 'right']);
      await box.evaluate((element) => element.scrollTo({ left: element.scrollWidth, behavior: 'instant' }));
      expect(await shadedEdges(box)).toEqual(['left']);
    }
    expect(await shadedEdges(prose.locator('pre').last())).toEqual([]);
  });

  it('can be copied as it was written and as plain text, and be shown as it was written', async () => {
    await page.evaluate(() => {
      const copied: string[] = [];
      Object.assign(globalThis, { copied });
      navigator.clipboard.writeText = async (text) => void copied.push(text);
    });
    const text = '# Title\n\nSome **bold** words &amp; $x^2$.';
    await show(page, 'Copies', text);
    const reply = replies(page).first();
    for (const name of ['Copy the reply', 'Copy as plain text']) await reply.getByRole('button', { name }).click();
    const copied = () => page.evaluate(() => (globalThis as unknown as { copied: string[] }).copied);
    await expect.poll(copied).toEqual([text, 'Title\n\nSome bold words & x^2.']);
    const raw = reply.getByRole('button', { name: 'Show as written' });
    await raw.click();
    expect(await textOf(reply.locator('.prose'))).toBe(text);
    expect(await raw.getAttribute('aria-pressed')).toBe('true');
    await raw.click();
    await reply.getByRole('heading', { name: 'Title', level: 3 }).waitFor();
  });

  it('runs, loads and covers nothing, whatever a model writes', async () => {
    const prose = await show(page, 'Hostile', HOSTILE);
    await prose.locator('.katex').first().waitFor();
    await prose
      .getByRole('img', { name: /^Diagram/ })
      .nth(1)
      .waitFor();
    const forbidden =
      'script, style, iframe, object, embed, form, svg [onload], [onerror], [onclick], [onmouseover], [ontoggle], [onload], a:not([href^="http"]):not([href^="mailto:"]), img:not([src^="data:image/svg+xml;charset=utf-8,"])';
    expect(await prose.locator(forbidden).evaluateAll((all) => all.map((one) => one.outerHTML))).toEqual([]);
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
    // Nothing of a formula reaches over the rest of the page.
    const top = await page.evaluate(() => document.elementFromPoint(innerWidth / 2, 20)?.closest('.prose') ?? null);
    expect(top).toBe(null);
    // What is clicked in a diagram is a picture.
    await prose
      .getByRole('img', { name: /^Diagram/ })
      .first()
      .click();
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });

  it('had no errors, and asked no other site for anything', () => {
    expect(ground.failures).toEqual([]);
  });
});

describe('a reply on a static site whose network is gone', () => {
  it('is shown as before; a diagram of a kind that was never drawn is shown as code', async () => {
    const site = await startPaddockSite({ models: inject('modelsFolder') });
    await using browser = await launchBrowser();
    const page = await openChat(browser.open, `${site.url}/`);
    page.setDefaultTimeout(60_000);
    await untilServed(page);
    // The first visit has fetched nothing for diagrams; what a formula or code needs came with it.
    expect(site.requests.filter((path) => path.startsWith('/diagrams/'))).toEqual([]);
    expect(site.requests).toEqual(expect.arrayContaining(['/assets/typeset.js', '/assets/highlight.js']));
    await (await show(page, 'Before', DIAGRAM)).getByRole('img', { name: /^Diagram/ }).waitFor();
    await site.stop();
    await reload(page);
    await untilServed(page);
    await openChat(async () => page, page.url());
    const known = await show(page, 'Known', TEXTS.known);
    await known.locator('.katex').waitFor();
    await known.locator('.hljs-keyword').waitFor();
    await known.getByRole('img', { name: /^Diagram/ }).waitFor();
    const unknown = await show(page, 'Unknown', TEXTS.unknown);
    await unknown.getByText('This diagram is not drawn').waitFor();
    expect(await textOf(unknown.locator('pre'))).toContain('A->>B: Hello');
  });
});
