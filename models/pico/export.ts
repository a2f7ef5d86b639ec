import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ggufChunks, writeChunks } from '../../test/kit/models/gguf-writer.ts';
import { toGguf } from './to-gguf.ts';
import type { Vocabulary } from './tokenizer.ts';
import { mixWeights, readWeights } from './weights.ts';

// Makes a GGUF of the weights that train.py saved: `node export.js [--weights FILE] [--vocabulary FILE] [--out FILE]`.
// With `--share 0.8` it takes 0.8 of them and 0.2 of the weights in `--previous`.

const { values: options } = parseArgs({
  options: {
    weights: { type: 'string', default: '.cache/pico/pico.weights' },
    vocabulary: { type: 'string', default: '.cache/pico/vocabulary.json' },
    previous: { type: 'string', default: '.cache/pico/released.weights' },
    share: { type: 'string', default: '1' },
    out: { type: 'string', default: 'models/pico/pico.gguf' },
  },
});

const vocabulary = JSON.parse(readFileSync(options.vocabulary, 'utf8')) as Vocabulary;
const chatTemplate = readFileSync('models/pico/chat-template.jinja', 'utf8').trim();
const share = Number(options.share);
const trained = readWeights(options.weights);
const weights = share < 1 ? mixWeights(readWeights(options.previous), trained, share) : trained;
const { entries, tensors } = toGguf(weights, vocabulary, chatTemplate);
writeChunks(options.out, ggufChunks(entries, tensors));
