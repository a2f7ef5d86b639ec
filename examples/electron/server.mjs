import { startServer } from 'paddock';

/** @typedef {{ url: string } | { error: string }} Started What this process tells the one that started it. */

// `paddock.mjs` runs this file as a process of its own, with the port as its argument.
const starting = startServer({ port: Number(process.argv[2]) });

starting.then(
  ({ url }) => tell({ url }),
  (error) => tell({ error: error.message }),
);

// The app has quit or crashed. Nothing keeps this process when the server has closed, so it ends by itself.
process.once('disconnect', async () => {
  const server = await starting.catch(() => undefined);
  await server?.close();
});

/** @param {Started} started */
function tell(started) {
  if (process.connected) process.send?.(started);
}
