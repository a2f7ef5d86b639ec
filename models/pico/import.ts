import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fromGguf } from './from-gguf.ts';
import { writeWeights } from './weights.ts';

// Splits the released file into weights and vocabulary, from which training can continue: `node import.js [--file FILE]
// [--folder FOLDER]`. Writes `released.weights` and `vocabulary.json`.

const { values: options } = parseArgs({
  options: {
    file: { type: 'string', default: 'models/pico/pico.gguf' },
    folder: { type: 'string', default: '.cache/pico' },
  },
});

const { weights, vocabulary } = await fromGguf(options.file);
mkdirSync(options.folder, { recursive: true });
writeWeights(join(options.folder, 'released.weights'), weights);
writeFileSync(join(options.folder, 'vocabulary.json'), JSON.stringify(vocabulary));
