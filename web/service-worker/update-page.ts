import { isolated } from './isolation.ts';

/** The page asks again after this time in any case, in s. */
const PATIENCE_S = 3;

/**
 * Reloads the page once the new version is active, which takes about 1 s, and not before: Chromium can leave a page
 * blank for ever if it is requested while a version is being activated.
 */
const SCRIPT = `
navigator.serviceWorker.ready.then(({ waiting, active }) => {
  const next = waiting ?? active;
  const look = () => {
    if (next.state === 'activated') location.reload();
  };
  next.addEventListener('statechange', look);
  look();
});
`;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Updating</title>
<script>${SCRIPT}</script>
<p style="font-family: sans-serif; text-align: center">A new version is being set up. This page loads itself again.</p>
</html>
`;

/**
 * Returns the page that is shown for a moment while a new version of the service worker takes over. It reloads itself,
 * and the new version answers.
 */
export function updatePage(): Response {
  const headers = { 'content-type': 'text/html; charset=utf-8', refresh: String(PATIENCE_S) };
  return isolated(new Response(PAGE, { headers }));
}
