import { isolated } from './isolation.ts';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Updating</title>
<p style="font-family: sans-serif; text-align: center">A new version is being set up. This page loads itself again.</p>
</html>
`;

/**
 * The page that is there for a moment while a new version of the service worker takes its turn. It loads itself again at
 * once, and then the new version answers.
 */
export function updatePage(): Response {
  return isolated(new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8', refresh: '0' } }));
}
