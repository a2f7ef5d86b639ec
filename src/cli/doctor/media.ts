import type { FileCatalogue } from '../../catalogue/node/catalogue.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import { sensesIn } from '../../contract/models/senses.ts';
import { findMediaLibrary, type MediaLibrary } from '../../engine/node/media-library.ts';
import { messageOf } from '../../utils/error-message.ts';
import type { Finding } from './finding.ts';

/** Finds the models that read images or audio, and their backend, and checks that images can be decoded. */
export async function checkMedia(catalogue: FileCatalogue, webAssembly: Finding | undefined): Promise<Finding[]> {
  const cards = catalogue.list().filter(({ id }) => catalogue.sourceOf(id)?.projector !== undefined);
  return [describeModels(cards, webAssembly, findMediaLibrary()), await checkImageReader()];
}

/** Returns the finding for the models. `webAssembly` is the finding for that backend. */
export function describeModels(cards: ModelCard[], webAssembly: Finding | undefined, library: MediaLibrary): Finding {
  const finding = { id: 'media', title: 'images, audio' };
  const models = cards.map(describeModel).join(', ');
  if (cards.length === 0) return { ...finding, status: 'info', detail: 'no model has a projector (mmproj) for them' };
  if (library.path !== null) return { ...finding, status: 'ok', detail: `${models}: on the native engine` };
  const ground = `on WebAssembly, because ${library.reason}`;
  if (webAssembly?.status === 'ok') return { ...finding, status: 'ok', detail: `${models}: ${ground}` };
  const reason = `WebAssembly does not work here: ${webAssembly?.detail ?? 'it was not tried'}`;
  return { ...finding, status: 'warn', detail: `${models}: ${ground}; ${reason}` };
}

function describeModel({ id, settings, audioModel }: ModelCard): string {
  const senses = sensesIn({ vision: settings.vision_model ?? false, audio: audioModel });
  return `${id} (${senses.join(', ')})`;
}

async function checkImageReader(): Promise<Finding> {
  const finding = { id: 'images', title: 'image reader' };
  try {
    const { default: sharp } = await import('sharp');
    return { ...finding, status: 'ok', detail: `sharp ${sharp.versions.sharp} loads` };
  } catch (error) {
    const [reason] = messageOf(error).trim().split('\n');
    return { ...finding, status: 'warn', detail: `no images can be taken: ${reason}` };
  }
}
