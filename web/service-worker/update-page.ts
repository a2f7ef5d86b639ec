import { isolated } from './isolation.ts';

/** When the page asks again although nothing has changed, in s. */
const PATIENCE_S = 3;

/**
 * Loads the page again as soon as the new version is at work, about 1 s after its turn begins, and not before: Chromium can leave a page
 * blank for ever that is asked for while a version is on its way.
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
 * The page that is there for a moment while a new version of the service worker takes its turn. It loads itself again, and then the new
 * version answers.
 */
export function updatePage(): Response {
  const headers = { 'content-type': 'text/html; charset=utf-8', refresh: String(PATIENCE_S) };
  return isolated(new Response(PAGE, { headers }));
}
