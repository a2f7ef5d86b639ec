/** The parts of Electron that main.mjs uses. Delete this file where the package `electron` is installed: it has types. */
declare module 'electron' {
  export const app: {
    whenReady(): Promise<void>;
    on(event: 'window-all-closed' | 'will-quit', listener: () => void): void;
    quit(): void;
  };
  export const dialog: { showErrorBox(title: string, content: string): void };
  export const shell: { openExternal(url: string): Promise<void> };
  export class BrowserWindow {
    constructor(options: { width: number; height: number });
    webContents: {
      setWindowOpenHandler(handler: (details: { url: string }) => { action: 'allow' | 'deny' }): void;
    };
    loadURL(url: string): Promise<void>;
  }
}
