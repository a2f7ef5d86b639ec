import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WebAssembly } from '../../../src/engine/wasm/node/web-assembly.ts';

/** The module that gives a program of Node WebGPU, for `--import`. */
export const WEBGPU_PRELOAD = pathToFileURL(resolve('test/kit/browser/webgpu.mjs')).href;

/** Returns the reason why WebGPU can't be tested here; null if it can. */
export function whatWebGpuLacks(): string | null {
  if (!process.env.PADDOCK_WEBGPU) return 'PADDOCK_WEBGPU does not name the folder of the npm package webgpu';
  if (!existsSync('dist/programs/wasm-thread.js')) return 'there is no build';
  if (!('Suspending' in WebAssembly)) return `Node ${process.version} has no JSPI; Node 24 has`;
  const probe =
    'const a = await navigator.gpu.requestAdapter(); console.log(a?.features.has("shader-f16") ?? null); process.exit()';
  const args = ['--import', WEBGPU_PRELOAD, '--input-type=module', '--eval', probe];
  const answer = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  if (answer === 'true') return null;
  return answer === 'false' ? 'the graphics adapter lacks shader-f16' : 'there is no graphics adapter';
}
