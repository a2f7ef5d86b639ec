import { makeRandom, randomSign } from '../random.ts';
import { float32, ggufChunks, int32s, text, uint32, writeChunks } from './gguf-writer.ts';
import { filled, matrix, vector } from './tiny-weights.ts';
import { makeVocabulary, specialTokens, spell, tokenizerEntries } from './vocabulary.ts';

/** The text that a model writes, and how. */
export interface Script {
  /** The chat template. */
  template: string;
  /** The reply to every prompt. The model then ends its turn. */
  reply: string;
  /** Texts in the template or the reply that are control tokens. Each occurs once at most in the reply. */
  controls?: string[];
  /** The trained context length in the header, in tokens. Default 4096. */
  contextLength?: number;
}

const SHAPE = { width: 128, hidden: 32, heads: 2 };
/** The reply is cut into tokens of at least so many characters, so that no two tokens are the same. */
const SHORTEST = 3;
const CONTROL = 3;

/**
 * Writes a tiny Qwen2 model that replies with one text, whatever it is asked: each token of the reply makes the next one
 * certain, at any temperature. So a text in the form of any family can pass all layers. Returns the tokens of the reply.
 */
export function writeScriptedModel(
  path: string,
  { template, reply, controls = [], contextLength = 4096 }: Script,
): string[] {
  const plain = makeVocabulary();
  const pieces = cut(reply, controls);
  const written = pieces.map((piece) => (controls.includes(piece) ? piece : spell(Buffer.from(piece))));
  const others = controls.filter((control) => !written.includes(control) && !isSpecial(control));
  const tokens = [...plain.tokens.slice(0, -specialTokens.length), ...written, ...others, ...specialTokens];
  if (new Set(tokens).size < tokens.length) throw new Error('the reply has a token twice, or one of the plain ones');
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const end = ids.get('<|im_end|>') ?? -1;
  // The token after each one; every other token is followed by the first of the reply.
  const successors = new Map(written.map((token, index) => [ids.get(token), ids.get(written[index + 1] ?? '') ?? end]));
  const first = ids.get(written[0] ?? '') ?? end;

  const entries = {
    'general.architecture': text('qwen2'),
    'general.name': text('Scripted model'),
    'qwen2.context_length': uint32(contextLength),
    'qwen2.embedding_length': uint32(SHAPE.width),
    'qwen2.block_count': uint32(1),
    'qwen2.feed_forward_length': uint32(SHAPE.hidden),
    'qwen2.attention.head_count': uint32(SHAPE.heads),
    'qwen2.attention.layer_norm_rms_epsilon': float32(1e-6),
    ...tokenizerEntries({ tokens, merges: plain.merges }),
    'tokenizer.ggml.token_type': int32s(
      tokens.map((token) => (isSpecial(token) || controls.includes(token) ? CONTROL : 1)),
    ),
    'tokenizer.chat_template': text(template),
  };
  writeChunks(
    path,
    ggufChunks(
      entries,
      tensors(tokens.length, (id) => successors.get(id) ?? first),
    ),
  );
  return pieces;
}

const isSpecial = (token: string) => specialTokens.some((special) => special === token);

/** The tensors of one layer that adds nothing: the logits depend on the last token alone. */
function tensors(size: number, nextOf: (id: number) => number) {
  const { width, hidden } = SHAPE;
  const random = makeRandom(1);
  // One code of random signs for each token that is to come next.
  const codes = new Map<number, number[]>();
  const codeOf = (next: number) => {
    const code = codes.get(next) ?? Array.from({ length: width }, () => randomSign(random));
    codes.set(next, code);
    return code;
  };
  const nothing = () => 0;
  const name = (part: string) => `blk.0.${part}`;
  return [
    matrix('token_embd.weight', width, size, (input, id) => codeOf(nextOf(id))[input] ?? 0),
    vector(name('attn_norm.weight'), filled(width, 1)),
    ...['q', 'k', 'v'].flatMap((part) => [
      matrix(name(`attn_${part}.weight`), width, width, nothing),
      vector(name(`attn_${part}.bias`), filled(width, 0)),
    ]),
    matrix(name('attn_output.weight'), width, width, nothing),
    vector(name('ffn_norm.weight'), filled(width, 1)),
    matrix(name('ffn_gate.weight'), width, hidden, nothing),
    matrix(name('ffn_up.weight'), width, hidden, nothing),
    matrix(name('ffn_down.weight'), hidden, width, nothing),
    vector('output_norm.weight', filled(width, 1)),
    matrix('output.weight', width, size, (input, id) => codes.get(id)?.[input] ?? 0),
  ];
}

/** Cuts a text into tokens: the control tokens, and between them pieces that differ from each other. */
function cut(reply: string, controls: string[]): string[] {
  const taken = new Set(makeVocabulary().tokens);
  const escaped = controls.map((control) => control.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const parts = escaped.length > 0 ? reply.split(new RegExp(`(${escaped.join('|')})`)) : [reply];
  return parts.flatMap((part) => {
    if (part === '' || controls.includes(part)) return part === '' ? [] : [part];
    const pieces: string[] = [];
    let piece = '';
    for (const character of part) {
      piece += character;
      if (piece.length < SHORTEST || taken.has(spell(Buffer.from(piece)))) continue;
      pieces.push(piece);
      taken.add(spell(Buffer.from(piece)));
      piece = '';
    }
    const last = pieces.pop();
    if (last !== undefined) taken.delete(spell(Buffer.from(last)));
    const rest = (last ?? '') + piece;
    taken.add(spell(Buffer.from(rest)));
    return [...pieces, rest];
  });
}
