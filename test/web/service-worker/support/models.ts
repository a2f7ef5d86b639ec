import type { BrowserModel } from '../../../../web/protocol.ts';
import { modelCard } from '../../../api/fixtures.ts';

/** A model of one file; `place` is where that is. */
export function browserModel(id: string, place: 'opfs' | 'shell' = 'opfs'): BrowserModel {
  const file = place === 'opfs' ? { place, path: ['paddock', 'models', id] } : { place, url: `models/${id}.gguf` };
  return {
    card: modelCard({ id }),
    source: {
      files: [{ ...file, size: 10 }],
      kind: 'chat',
      shape: {
        fileBytes: 10,
        layers: 1,
        cachedPerToken: 1,
        embeddingLength: 1,
        feedForwardLength: 1,
        vocabularySize: 1,
        trainedContextLength: 1,
        poolsLast: false,
      },
      tokens: { bos: '', eos: '', infill: null },
    },
  };
}
