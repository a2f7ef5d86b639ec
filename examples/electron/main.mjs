import { app, BrowserWindow, dialog, shell } from 'electron';
import { startPaddock } from './paddock.mjs';

/** Always the same: the page's address has it, and the browser keeps conversations by address. */
const PORT = 14337;

async function openChat() {
  const { url, stop } = await startPaddock(PORT);
  app.on('will-quit', stop);
  const window = new BrowserWindow({ width: 1000, height: 800 });
  // Links in replies belong in the user's browser.
  window.webContents.setWindowOpenHandler((link) => {
    if (/^https?:/.test(link.url)) void shell.openExternal(link.url);
    return { action: 'deny' };
  });
  await window.loadURL(url);
}

app.on('window-all-closed', () => app.quit());

// Not `await`: Electron is ready only after this file has been read to its end.
app
  .whenReady()
  .then(openChat)
  .catch((error) => {
    dialog.showErrorBox('Paddock has not started', error.message);
    app.quit();
  });
