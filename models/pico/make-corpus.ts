import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeDice } from './generator/dice.ts';
import { type Intent, intentsAbout } from './generator/intents.ts';
import { makeConversation } from './generator/mix.ts';
import { createRenderer, type Span } from './generator/render.ts';
import { isLeak } from './leaks.ts';
import { createEncoder, learnVocabulary, type Vocabulary } from './tokenizer.ts';

// Makes the training data for train.py: `node make-corpus.js [--count 300000] [--seed 1] [--name train] [--focus "keys"
// --focus "..."]`. With `--focus`, every second question is about one of these subjects, by the names in the corpus's
// `about`.

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: '.cache/pico' },
    name: { type: 'string', default: 'train' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '300000' },
    focus: { type: 'string', multiple: true, default: [] },
  },
});

const VOCABULARY_SIZE = 2560;
const VOCABULARY_SEED = 7;
const VOCABULARY_CONVERSATIONS = 12_000;
const COMMON_TOKENS = 1024;
/** Marks a token that train.py learns to write. */
const LOSS_BIT = 0x8000;
const LONGEST = 1024;

const render = createRenderer(readFileSync('models/pico/chat-template.jinja', 'utf8'));

function* conversations(seed: number, count: number, parts: string[], focus: Intent[]): Generator<Span[]> {
  const dice = makeDice(seed, parts);
  for (let made = 0; made < count; made++) {
    const conversation = makeConversation(dice, focus);
    if (isLeak(conversation)) dropped++;
    else yield render(conversation);
  }
}

function vocabulary(): Vocabulary {
  const path = join(options.folder, 'vocabulary.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Vocabulary;
  } catch {
    const texts = [...conversations(VOCABULARY_SEED, VOCABULARY_CONVERSATIONS, [], [])].map((spans) =>
      spans.map(({ text }) => text).join(''),
    );
    const learnt = learnVocabulary(texts, VOCABULARY_SIZE);
    writeFileSync(path, JSON.stringify(learnt));
    return learnt;
  }
}

let dropped = 0;
mkdirSync(options.folder, { recursive: true });
const learnt = vocabulary();
const encode = createEncoder(learnt);
/** Rare tokens, which are the last merged ones. Made-up words use them, so that pico learns to copy them too. */
const parts = learnt.tokens.slice(COMMON_TOKENS).filter((token) => /^[a-z]{2,}$/.test(token));
const tokens: number[] = [];
const lengths: number[] = [];
const focus = intentsAbout(options.focus);
for (const spans of conversations(Number(options.seed), Number(options.count), parts, focus)) {
  const ids = spans.flatMap((span) => encode(span.text).map((id) => (span.learnt ? id | LOSS_BIT : id)));
  if (ids.length > LONGEST) continue;
  lengths.push(ids.length);
  for (const id of ids) tokens.push(id);
}
writeFileSync(join(options.folder, `${options.name}.tokens`), Uint16Array.from(tokens));
writeFileSync(join(options.folder, `${options.name}.lengths`), Uint32Array.from(lengths));
process.stdout.write(`${lengths.length} conversations, ${tokens.length} tokens, ${dropped} left out\n`);
