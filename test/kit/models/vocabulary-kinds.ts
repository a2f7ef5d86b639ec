import { makeRandom } from '../random.ts';
import { bytes, flag, float32s, type GgufEntries, ggufChunks, int32s, text, texts, uint32 } from './gguf-writer.ts';
import { spell } from './vocabulary.ts';

const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const USER_DEFINED = 4;
const BYTE = 6;

interface Token {
  text: string;
  type?: number;
  score?: number;
}

/** Kinds of vocabularies, each as a GGUF without tensors. llama.cpp loads them with `vocabOnly`. */
export const VOCABULARY_KINDS: Record<string, () => Uint8Array> = {
  'merges of bytes': () => byteLevelVocabulary('qwen2'),
  'merges of characters, as Gemma 4': () => gguf('gemma4', characterPairs()),
  'scores, as Llama 2': () => gguf('llama', { tokens: scoredTokens() }),
  'scores, without a space before the first word': () =>
    gguf('llama', { tokens: scoredTokens() }, { 'tokenizer.ggml.add_space_prefix': flag(false) }),
  'words, as BERT': () => gguf('bert', { tokens: wordTokens() }, { 'tokenizer.ggml.cls_token_id': uint32(2) }),
  'words with accents and capitals': () =>
    gguf('bert', { tokens: wordTokens() }, { 'tokenizer.ggml.normalizer.lowercase': flag(false) }),
  'probabilities, as T5': () => gguf('t5', { tokens: probableTokens() }, charsmapEntries()),
  'probabilities, of single spaces': () =>
    gguf(
      't5',
      { tokens: probableTokens() },
      {
        ...charsmapEntries(),
        'tokenizer.ggml.add_space_prefix': flag(true),
        'tokenizer.ggml.remove_extra_whitespaces': flag(true),
      },
    ),
};

/** Returns a byte-level vocabulary with this many additional control tokens. */
export function manySpecialTokens(count: number): Uint8Array {
  const { tokens, merges } = bytePairs();
  const reserved = Array.from({ length: count }, (_, index) => ({ text: `<|reserved_${index}|>`, type: CONTROL }));
  return gguf('gpt2', { tokens: [...tokens, ...reserved], merges }, { 'tokenizer.ggml.pre': text('qwen2') });
}

/** Returns a seeded source of numbers from 0 to 1. */
function chancesFrom(seed: number): () => number {
  const random = makeRandom(seed);
  return () => random() / 2 ** 32;
}

/** Returns a byte-level vocabulary whose header names these rules for splitting words. */
export function byteLevelVocabulary(pre: string): Uint8Array {
  const name = Buffer.from(pre);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(name.length));
  return Buffer.concat([untilName(), length, name]);
}

const NAME = 'the name of the rules';
let madeUntilName: Buffer | undefined;
/** The header of a byte-level vocabulary up to the name of its rules, which is the last entry. To write it takes 0.1 s. */
function untilName(): Buffer {
  if (!madeUntilName) {
    const whole = Buffer.from(gguf('gpt2', bytePairs(), { 'tokenizer.ggml.pre': text(NAME) }));
    madeUntilName = whole.subarray(0, whole.lastIndexOf(NAME) - 8);
  }
  return madeUntilName;
}

/** Special tokens of all kinds, some of which overlap. */
const SPECIAL: Token[] = [
  { text: '<unk>', type: UNKNOWN },
  { text: '<s>', type: CONTROL },
  { text: '</s>', type: CONTROL },
  { text: '<|im_start|>', type: CONTROL },
  { text: '<|im_end|>', type: CONTROL },
  { text: '<|im_end|><|', type: CONTROL },
  { text: '<tool>', type: USER_DEFINED },
  { text: '<tool>>', type: USER_DEFINED },
  { text: 'ol>x', type: USER_DEFINED },
  // llama.cpp treats this token as a control token because of its name.
  { text: '<|eot_id|>' },
];

export const SPECIAL_TEXTS = SPECIAL.map(({ text }) => text);

/** Returns a vocabulary with scores for a model that has weights. `ids` are the token ids by spelling. */
export function scoredVocabulary(): { entries: GgufEntries; ids: ReadonlyMap<string, number> } {
  const tokens = scoredTokens();
  return { entries: entriesOf('llama', { tokens }), ids: new Map(tokens.map(({ text }, id) => [text, id])) };
}

function gguf(model: string, vocabulary: { tokens: Token[]; merges?: string[] }, more: GgufEntries = {}): Uint8Array {
  return Buffer.concat([...ggufChunks({ ...entriesOf(model, vocabulary), ...more }, [])]);
}

function entriesOf(model: string, { tokens, merges }: { tokens: Token[]; merges?: string[] }): GgufEntries {
  const idOf = (name: string) => uint32(tokens.findIndex((token) => token.text === name));
  return {
    'general.architecture': text('llama'),
    'tokenizer.ggml.model': text(model),
    'tokenizer.ggml.tokens': texts(tokens.map((token) => token.text)),
    'tokenizer.ggml.token_type': int32s(tokens.map(({ type = NORMAL }) => type)),
    'tokenizer.ggml.scores': float32s(tokens.map(({ score = 0 }) => score)),
    ...(merges && { 'tokenizer.ggml.merges': texts(merges) }),
    'tokenizer.ggml.unknown_token_id': idOf('<unk>'),
    'tokenizer.ggml.bos_token_id': idOf('<s>'),
    'tokenizer.ggml.eos_token_id': idOf('</s>'),
    'tokenizer.ggml.seperator_token_id': idOf('</s>'),
    'tokenizer.ggml.padding_token_id': idOf('</s>'),
  };
}

let madeBytePairs: ReturnType<typeof pairsOf> | undefined;

/**
 * Makes many merges of byte pairs in random order, so that the tokens show where a text was split into words. They are
 * made once, because that takes longer than all else in a test of them.
 */
function bytePairs() {
  const letters = () => Array.from({ length: 256 }, (_, byte) => spell(Uint8Array.of(byte)));
  madeBytePairs ??= pairsOf(letters(), SPECIAL);
  return madeBytePairs;
}

function characterPairs() {
  const single = Array.from({ length: 256 }, (_, byte) => ({ text: byteName(byte), type: BYTE }));
  const characters = [...'▁abcdefghijABCDEFGHIJ0123456789.,!?\'"-_=+*/<>()[]{}éüñ你好世界。😀'];
  const { tokens, merges } = pairsOf(characters, [...SPECIAL, ...single]);
  return { tokens: [...tokens, { text: '\n' }, { text: '\n\n' }, { text: '\n\n\n' }], merges };
}

/** The share of all pairs that are tokens: enough to find every wrong split with some hundred texts. */
const SHARE = 1 / 4;

function pairsOf(letters: string[], before: Token[]) {
  const random = chancesFrom(7);
  const pairs = letters
    .flatMap((left) => letters.map((right) => ({ left, right, place: random() })))
    .filter(({ place }) => place < SHARE)
    .sort((a, b) => a.place - b.place);
  return {
    tokens: [...before, ...[...letters, ...pairs.map(({ left, right }) => left + right)].map((text) => ({ text }))],
    merges: pairs.map(({ left, right }) => `${left} ${right}`),
  };
}

function byteName(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

const LETTERS = [..."▁abcdefghijklmnopqrstuvwxyzABCDE0123456789.,!?'-éü你世😀"];

/** Makes pieces of two to five random letters, each with a random score. */
function pieces(): Token[] {
  const random = chancesFrom(11);
  const letter = () => LETTERS[Math.floor(random() * LETTERS.length)] ?? '';
  const made = Array.from({ length: 4000 }, () =>
    Array.from({ length: 2 + Math.floor(random() * 4) }, letter).join(''),
  );
  const short = LETTERS.flatMap((left) => LETTERS.map((right) => left + right));
  const real = ['▁the', '▁and', 'ing', 'tion', '▁hello', '▁world', '▁▁', '▁▁▁▁', '▁function', 'return', '▁naïve'];
  return [...new Set([...LETTERS, ...real, ...short, ...made])].map((text) => ({
    text,
    score: Math.fround(-1 - 9 * random()),
  }));
}

function scoredTokens(): Token[] {
  return [
    ...SPECIAL,
    ...Array.from({ length: 256 }, (_, byte) => ({ text: byteName(byte), type: BYTE })),
    ...pieces().filter(({ text }) => text !== 'é'),
  ];
}

function probableTokens(): Token[] {
  return [...SPECIAL, ...pieces()];
}

/** Makes tokens for words, which begin with `▁`, and tokens for parts within a word, which have no mark. */
function wordTokens(): Token[] {
  const signs = [...'.,!?\'-_=+*/<>()[]{}"#$%&@:;|~`^\\你好世界日本語'].map((sign) => `▁${sign}`);
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDE0123456789éüпривет'].filter((letter) => letter !== 'z');
  return [
    ...SPECIAL,
    ...[
      ...new Set([...letters, ...letters.map((letter) => `▁${letter}`), ...signs, ...pieces().map(({ text }) => text)]),
    ].map((text) => ({ text })),
  ];
}

function charsmapEntries(): GgufEntries {
  const table = charsmapOf({ ｆ: 'f', ﬁ: 'fi', '\u3000': ' ', '\t': ' ', '\n': ' ', Å: 'A', '\u200b': '' });
  return { 'tokenizer.ggml.precompiled_charsmap': bytes(table) };
}

/** Returns a table of replacements in SentencePiece's form, a double array: see `src/engine/tokenizer/charsmap.ts`. */
export function charsmapOf(replacements: Record<string, string>): number[] {
  interface Node {
    children: Map<number, Node>;
    value?: number;
  }
  const root: Node = { children: new Map() };
  const strings: number[] = [];
  for (const [from, to] of Object.entries(replacements)) {
    let node = root;
    for (const byte of Buffer.from(from)) {
      const child = node.children.get(byte) ?? { children: new Map() };
      node.children.set(byte, child);
      node = child;
    }
    node.value = strings.length;
    strings.push(...Buffer.from(to), 0);
  }
  const units = new Uint32Array(256 * 64);
  let next = 1;
  const place = (node: Node, index: number, label: number) => {
    // Offsets below 2^21 are stored from bit 10 on. Each node has a block of its own.
    const block = 256 * next++;
    const base = block ^ index;
    units[index] = (base << 10) | (node.value === undefined ? 0 : 0x100) | label;
    if (node.value !== undefined) units[block] = (0x8000_0000 | node.value) >>> 0;
    for (const [byte, child] of node.children) place(child, block ^ byte, byte);
  };
  place(root, 0, 0);
  const nodes = Buffer.from(units.buffer);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(nodes.length);
  return [...head, ...nodes, ...strings];
}
