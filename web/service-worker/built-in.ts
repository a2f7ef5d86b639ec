import type { BrowserModel, StoredFile } from '../protocol.ts';

/**
 * Reads the models that come with Paddock from the build's `built-in.json`, whose URLs are relative to `scope`. Throws if the
 * response is an error.
 */
export async function readBuiltIn(response: Response, scope: URL): Promise<BrowserModel[]> {
  if (!response.ok) throw new Error(`the list of built-in models can not be read: the status is ${response.status}`);
  // The workers do not know the scope, so they get absolute URLs.
  const whole = (file: StoredFile): StoredFile =>
    file.place === 'shell' ? { ...file, url: new URL(file.url, scope).href } : file;
  const models = (await response.json()) as BrowserModel[];
  return models.map(({ card, source: { files, projector, ...source } }) => ({
    card,
    source: { ...source, files: files.map(whole), ...(projector && { projector: whole(projector) }) },
  }));
}

/** Returns the user's models, then the built-in ones. A model of the user hides the built-in model with the same id. */
export function withBuiltIn(stored: BrowserModel[], builtIn: BrowserModel[]): BrowserModel[] {
  const taken = new Set(stored.map(({ card }) => card.id));
  return [...stored, ...builtIn.filter(({ card }) => !taken.has(card.id))];
}
