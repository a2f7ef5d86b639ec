/** Cuts a text into words, or a word into smaller ones. */
export type SplitRule = (text: string) => string[];

/** How one family of vocabularies prepares a text. */
export interface PreTokenizer {
  /** The rules in their order: each one cuts the words of the rule before it. */
  rules: SplitRule[];
  /**
   * The words of the vocabulary that are one token whatever the merges say: all, only those of line breaks, or none.
   */
  whole: 'all' | 'newlines' | 'none';
  /**
   * True if the vocabulary is written in plain characters with `▁` for spaces, and not in GPT-2's alphabet for bytes.
   */
  plain: boolean;
  /** The default for whether prompts begin with the beginning-of-sequence token. The header may override it. */
  addBos: boolean;
}

// JavaScript's \s has U+FEFF and lacks U+0085; llama.cpp's is Unicode's White_Space.
const SPACE = String.raw`\p{White_Space}`;
const CONTRACTION = "'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])";
const LINES = String.raw`${SPACE}*[\r\n]+`;
const BLANKS = String.raw`${SPACE}+(?!\P{White_Space})|${SPACE}+`;
const SIGNS = String.raw` ?[^${SPACE}\p{L}\p{N}]+`;
const LEAD = String.raw`[^\r\n\p{L}\p{N}]?`;

/** The words of Llama 3 and of many later models, which differ in the number of digits in a word. */
const modern = (digits: string, letters = String.raw`\p{L}`) =>
  rule(
    String.raw`${CONTRACTION}|${LEAD}[${letters}]+|${digits}| ?[^${SPACE}${letters}\p{N}]+[\r\n]*|${LINES}|${BLANKS}`,
  );

/** Words that also end before an upper case letter that follows a lower case one. */
const cased = (contraction: string, digits: string, letters = String.raw`\p{L}`) => {
  const upper = `(?:(?=[${letters}])[^a-z])`;
  const lower = `(?:(?=[${letters}])[^A-Z])`;
  return rule(
    `${LEAD}${upper}*${lower}+${contraction}|${LEAD}${upper}+${lower}*${contraction}` +
      String.raw`|${digits}|${SIGNS}[\r\n/]*|${LINES}|${BLANKS}`,
  );
};

const gpt2 = rule(String.raw`'(?:[stmd]|re|ve|ll)| ?\p{L}+| ?\p{N}+|${SIGNS}|${BLANKS}`);
const digit = rule(String.raw`\p{N}`);
const threeDigits = rule(String.raw`\p{N}{1,3}`);
const threeAsciiDigits = rule('[0-9][0-9][0-9]');
const newlines = rule(String.raw`\n+|[^\n]+`);
const kana = rule('[一-龥\u3040-\u309f\u30a0-\u30ff]+');
const PUNCTUATION_WORD = '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`\\{\\|\\}~][A-Za-z]+';
const deepseekWords = (end: string) =>
  rule(String.raw`${PUNCTUATION_WORD}|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+${end}|${BLANKS}`);
const deepseek = [threeDigits, kana, deepseekWords(String.raw`[\r\n]*|${LINES}`)];
const finnish = rule(` ?[^(${SPACE}|.,!?…。，、।۔،)]+`);
const ONE = String.raw`\p{N}`;
const THREE = String.raw`\p{N}{1,3}`;
const MARKED = String.raw`\p{L}\p{M}`;
const HAN = '\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2ebef}\uf900-\ufaff\u{2f800}-\u{2fa1f}';

interface Family {
  names: string[];
  rules: SplitRule[];
  whole?: 'all' | 'newlines';
  plain?: true;
  addBos?: true;
}

/**
 * The families of byte-level vocabularies by their names in llama.cpp (`llama-vocab.cpp`). The rules are llama.cpp's,
 * even if a model was trained with other rules: a count of tokens must be the engine's. A family is only listed if its
 * tokens were compared with llama.cpp's.
 */
const FAMILIES: Family[] = [
  {
    names: ['', 'default'],
    rules: [rule(String.raw`[\p{P}$+<=>^~\|]+`), gpt2, rule(String.raw`\p{N}+`), threeAsciiDigits],
  },
  {
    names: ['llama3', 'llama-v3', 'llama-bpe', 'falcon3', 'falcon-h1', 'pixtral', 'midm-2.0', 'lfm2', 'jina-v5-nano'],
    rules: [modern(THREE)],
    whole: 'all',
    addBos: true,
  },
  { names: ['dbrx', 'smaug-bpe', 'glm4', 'chatglm-bpe'], rules: [modern(THREE)] },
  {
    names: ['qwen2', 'deepseek-r1-qwen', 'kormo', 'f2llmv2', 'megrez', 'stablelm2', 'hunyuan', 'solar-open', 'grok-2'],
    rules: [modern(ONE)],
  },
  { names: ['qwen35'], rules: [modern(ONE, MARKED)] },
  { names: ['minicpm5'], rules: [threeDigits, modern(String.raw`\p{N}+`)], whole: 'all' },
  { names: ['laguna'], rules: [newlines, modern(ONE)] },
  { names: ['ufakzeka'], rules: [rule(String.raw`${LEAD}\p{L}+|${ONE}|${SIGNS}[\r\n]*|${LINES}|${BLANKS}`)] },
  {
    names: ['bailingmoe', 'bailingmoe2', 'llada-moe'],
    rules: [rule(String.raw`${CONTRACTION}|${LEAD}\p{L}+|${ONE}|${SIGNS}[\r\n]*|${SPACE}*[\r\n]|${BLANKS}`)],
  },
  {
    names: ['seed-coder'],
    rules: [rule(String.raw`${CONTRACTION}|${LEAD}\p{L}+|${ONE}| ?[^${SPACE}\p{L}\p{N}\r\n]+|${LINES}|${BLANKS}`)],
  },
  {
    names: [
      'gpt-2',
      'phi-2',
      'jina-es',
      'jina-de',
      'gigachat',
      'jina-v2-es',
      'jina-v2-de',
      'a.x-4.0',
      'mellum',
      'modern-bert',
      'jina-v1-en',
      'jina-v2-code',
      'roberta-bpe',
      'exaone4',
      'mpt',
      'olmo',
      'jais',
      'trillion',
      'granite-docling',
    ],
    rules: [gpt2],
  },
  {
    names: ['starcoder', 'refact', 'command-r', 'smollm', 'codeshell', 'exaone', 'minerva-7b', 'mellum2'],
    rules: [digit, gpt2],
  },
  { names: ['falcon'], rules: [rule(String.raw`[\p{P}$+<=>^~\|\u0060]+`), gpt2, threeAsciiDigits] },
  {
    names: ['deepseek-coder'],
    rules: [
      rule(String.raw`[\r\n]`),
      rule(String.raw`${SPACE}?\p{L}+`),
      rule(String.raw`${SPACE}?\p{P}+`),
      rule(String.raw`(?:(?!${SPACE})[一-龥\u0800-一\uac00-\ud7ff])+`),
      digit,
    ],
  },
  { names: ['deepseek-v3', 'hunyuan-dense', 'joyai-llm', 'hy_v4'], rules: deepseek },
  {
    names: ['spark2_5'],
    rules: [threeDigits, kana, deepseekWords(String.raw`|[\r\n]`), digit],
  },
  {
    names: ['youtu'],
    rules: [
      rule('[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，\u3001-\u303f\ufe30-\ufe4f]+|[ㄅ-ㄯ]+|[一-龥\u3040-\u309f\u30a0-\u30ff]+'),
      rule(String.raw`${LEAD}[${MARKED}]+(?:${CONTRACTION})?|${ONE}|${SIGNS}[\r\n/]*|${LINES}|${BLANKS}`),
    ],
    whole: 'all',
  },
  { names: ['poro-chat', 'bloom', 'gpt3-finnish'], rules: [finnish] },
  { names: ['viking'], rules: [finnish, digit] },
  { names: ['tekken'], rules: [cased('', ONE)], whole: 'all', addBos: true },
  {
    names: ['gpt-4o', 'llama4', 'kanana2', 'talkie', 'minimax-m2'],
    rules: [cased(`(?:${CONTRACTION})?`, THREE)],
  },
  {
    names: ['granite-embed-multi-97m'],
    rules: [cased(`(?:${CONTRACTION})?`, THREE, MARKED)],
    whole: 'all',
  },
  {
    names: ['kimi-k2'],
    rules: [
      rule(
        String.raw`[${HAN}]+|${LEAD}(?:(?![${HAN}])\p{L})+(?:${CONTRACTION})?|${THREE}|${SIGNS}[\r\n]*|${LINES}|${BLANKS}`,
      ),
    ],
  },
  {
    names: ['exaone-moe'],
    rules: [
      rule(
        String.raw`${CONTRACTION}|${LEAD}(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|${ONE}|${SIGNS}[\r\n/]?|${SPACE}*[\r\n]|${BLANKS}`,
      ),
    ],
  },
  { names: ['gemma4', 'granite-embed-multi-311m'], rules: [newlines], whole: 'newlines', plain: true, addBos: true },
  { names: ['sarvam-moe'], rules: [newlines], plain: true },
];

/** Returns how to prepare texts for the vocabularies of this name, or undefined if the name is not known. */
export function preTokenizerOf(name: string): PreTokenizer | undefined {
  const family = FAMILIES.find(({ names }) => names.includes(name));
  if (!family) return undefined;
  const { rules, whole = 'none', plain = false, addBos = false } = family;
  return { rules, whole, plain, addBos };
}

/** The names of all families. */
export const PRE_TOKENIZERS: string[] = FAMILIES.flatMap(({ names }) => names);

/** Makes a rule from a pattern: each match is a word, and so is the text between two matches. */
function rule(pattern: string): SplitRule {
  const matches = new RegExp(pattern, 'gu');
  return (text) => {
    const words: string[] = [];
    let end = 0;
    for (const { index, 0: word } of text.matchAll(matches)) {
      if (index > end) words.push(text.slice(end, index));
      words.push(word);
      end = index + word.length;
    }
    if (end < text.length) words.push(text.slice(end));
    return words;
  };
}
