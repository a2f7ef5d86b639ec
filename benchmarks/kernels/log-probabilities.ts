import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { silentLog } from '../../src/contract/log.ts';
import { openContext } from '../../src/engine/native/llama/context.ts';
import { loadOnCpu } from '../../src/engine/native/llama/load-model.ts';
import { packageRoot } from '../../src/package-root.ts';
import { highestLogits, softmaxWeight } from '../../src/sampling/highest.ts';

// Prints, as JSON, how far the log probabilities of a text's tokens with Paddock's kernels are from the ones with
// llama.cpp's own. Each kind of kernels has a process of its own, since a process keeps the kernels that it has opened.

/** How a model with Paddock's kernels compares with the same model with llama.cpp's own. */
export interface TextAgreement {
  tokens: number;
  /** The instruction set of Paddock's kernels; null if this machine has none. */
  instructions: string | null;
  /** The mean and the largest absolute difference of a token's log probability. */
  mean: number;
  largest: number;
  /** The share of places at which both find the same token the likeliest. */
  sameLikeliest: number;
  /** The mean log probability of a token with each kind of kernels. */
  meanLogProbability: { paddock: number; stock: number };
}

/** What one process found: for each token but the first its log probability, and the likeliest token at its place. */
interface Findings {
  instructions: string | null;
  logProbabilities: Float64Array;
  likeliest: Int32Array;
}

/** The text is read in parts of so many tokens, each of them from an empty context. */
const WINDOW = 512;
const PASS = 64;

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: fileURLToPath(new URL('models/pico/pico.gguf', packageRoot())) },
    text: { type: 'string', default: fileURLToPath(new URL('README.md', packageRoot())) },
    tokens: { type: 'string', default: '2000' },
    /** Set for the processes that compute. */
    kernels: { type: 'string' },
  },
});

if (values.kernels === undefined) {
  const [paddock, stock] = [await findingsOf('paddock'), await findingsOf('stock')];
  process.stdout.write(`${JSON.stringify(compare(paddock, stock), null, 1)}\n`);
} else {
  const findings = await compute(values.kernels === 'stock');
  process.send?.(findings, () => process.exit(0));
}

function findingsOf(kernels: 'paddock' | 'stock'): Promise<Findings> {
  const { model, text, tokens } = values;
  const args = ['--kernels', kernels, '--model', model, '--text', text, '--tokens', tokens];
  const child = fork(fileURLToPath(import.meta.url), args, { serialization: 'advanced' });
  return new Promise((resolve, reject) => {
    child.once('message', (findings: Findings) => resolve(findings));
    child.once('exit', (code) => reject(new Error(`the process with the kernels ${kernels} ended with ${code}`)));
  });
}

async function compute(stock: boolean): Promise<Findings> {
  const model = await loadOnCpu({ files: [values.model], stockKernels: stock }, { needed: 0, available: 0 }, silentLog);
  const context = await openContext(model, { contextLength: WINDOW, sequences: 1, batchSize: PASS, threads: 2 });
  if (!context) throw new Error(`llama.cpp made no context: ${model.library.takeError()}`);
  const text = await readFile(values.text, 'utf8');
  const tokens = model.tokenizer.tokenize(text, false).slice(0, Number(values.tokens));
  const logProbabilities: number[] = [];
  const likeliest: number[] = [];
  for (let start = 0; start < tokens.length; start += WINDOW) {
    context.remove(0, 0);
    for (let at = 0; at < WINDOW && start + at < tokens.length; at += PASS) {
      const part = tokens.slice(start + at, start + Math.min(at + PASS, WINDOW));
      const logitsAt = part.map((_, index) => index);
      const [places = []] = await context.decode([{ sequence: 0, at, tokens: part, logitsAt }]);
      for (const [index, place] of places.entries()) {
        const next = tokens[start + at + index + 1];
        if (next === undefined) continue;
        const found = readPlace(context.logitsAt(place), next);
        logProbabilities.push(found.logProbability);
        likeliest.push(found.likeliest);
      }
    }
  }
  await context[Symbol.asyncDispose]();
  await model.close();
  return {
    instructions: model.library.kernels.instructions,
    logProbabilities: Float64Array.from(logProbabilities),
    likeliest: Int32Array.from(likeliest),
  };
}

/** Returns the log probability of a token, and the likeliest token. */
function readPlace(logits: Float32Array, token: number): { logProbability: number; likeliest: number } {
  const { tokens, logits: highest } = highestLogits(logits, 1);
  const most = highest[0] ?? 0;
  const logProbability = (logits[token] ?? Number.NaN) - most - Math.log(softmaxWeight(logits, most));
  return { logProbability, likeliest: tokens[0] ?? -1 };
}

function compare(paddock: Findings, stock: Findings): TextAgreement {
  const count = stock.likeliest.length;
  const differences = paddock.logProbabilities.map((value, i) =>
    Math.abs(value - (stock.logProbabilities[i] ?? Number.NaN)),
  );
  const mean = (all: Float64Array) => all.reduce((sum, value) => sum + value, 0) / all.length;
  return {
    tokens: count + 1,
    instructions: paddock.instructions,
    mean: mean(differences),
    largest: differences.reduce((most, difference) => Math.max(most, difference), 0),
    sameLikeliest: paddock.likeliest.filter((token, i) => token === stock.likeliest[i]).length / count,
    meanLogProbability: { paddock: mean(paddock.logProbabilities), stock: mean(stock.logProbabilities) },
  };
}
