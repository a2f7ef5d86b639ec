import { HUB_URL, type Hub } from '../../src/catalogue/pull/hugging-face.ts';

/** The hub from which browsers pull. Pages have no token for it. */
export const BROWSER_HUB: Hub = {
  endpoint: HUB_URL,
  token: null,
  advice: 'download its GGUF there, then import the file from the disk',
};
