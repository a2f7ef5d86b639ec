import { expect, it } from 'vitest';
import { updatePage } from '../../../web/service-worker/update-page.ts';

it('the page of an update is read as HTML, isolated, says in words what happens, and loads itself again', async () => {
  const page = updatePage();
  expect(page.status).toBe(200);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    refresh: '3',
  });
  expect(await page.text()).toContain('This page loads itself again.');
});
