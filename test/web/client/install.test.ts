import { afterEach, expect, it, vi } from 'vitest';
import { install } from '../../../web/client/install.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('a service worker that can not be fetched is named with its whole address', async () => {
  // Browsers throw this where the file is missing, and where the host is silent.
  const register = () => Promise.reject(new TypeError('Failed to register a ServiceWorker'));
  vi.stubGlobal('navigator', { serviceWorker: { register } });
  const installing = install(new URL('https://example.com/chat/'), () => {});
  await expect(installing).rejects.toMatchObject({
    code: 'worker_unreachable',
    detail: 'https://example.com/chat/service-worker.js',
    message: expect.stringContaining('from https://example.com/chat/service-worker.js.'),
  });
});
