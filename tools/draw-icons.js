// Draws the page's icon as PNGs for home screens: node tools/draw-icons.js. Only needed when web/chat/public/icon.svg changes.
import { readFile } from 'node:fs/promises';
import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

const FOLDER = 'web/chat/public';
const svg = await readFile(`${FOLDER}/icon.svg`, 'utf8');
// A phone may cut a circle out of a maskable icon: its middle four fifths are safe, and its ground has no corners.
const maskable = svg
  .replace('viewBox="0 0 32 32"', 'viewBox="-4 -4 40 40"')
  .replace('<rect width="32" height="32" rx="8"', '<rect x="-4" y="-4" width="40" height="40"');

const browser = await chromium.launch({ executablePath: await sparticuz.executablePath(), args: ['--no-sandbox'] });
const page = await browser.newPage();
for (const { name, size, image } of [
  { name: 'icon-192', size: 192, image: svg },
  { name: 'icon-512', size: 512, image: svg },
  { name: 'icon-maskable', size: 512, image: maskable },
]) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px}</style>${image}`);
  await page.screenshot({ path: `${FOLDER}/${name}.png`, omitBackground: true });
}
await browser.close();
