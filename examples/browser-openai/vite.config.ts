import { cpSync, rmSync } from 'node:fs';
import { defineConfig } from 'vite';

const built = new URL('../../dist-web/', import.meta.url);
const site = new URL('./public/', import.meta.url);

// What `startPaddock` needs beside the page: the service worker at the root of the site, and the folder that it looks into.
rmSync(site, { recursive: true, force: true });
for (const name of ['service-worker.js', 'paddock'])
  cpSync(new URL(name, built), new URL(name, site), { recursive: true });

export default defineConfig({ build: { target: 'es2023' } });
