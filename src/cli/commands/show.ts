import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { findByName } from '../../contract/models/find-model.ts';
import type { Model } from '../../contract/models/model.ts';
import type { ModelSource } from '../../engine/engine.ts';
import type { Config } from '../../serve/config/settings.ts';
import { coloursFor, formatCount, formatFacts, formatTable, print, printJson } from '../../serve/output.ts';
import { formatBytes } from '../../utils/bytes.ts';
import { addSettings, readCommandConfig } from '../config/command.ts';
import type { LoadEstimate } from '../estimate-load.ts';
import { purposeOf, quantizationOf } from '../model-words.ts';

const FROM_FILE = 'in part: experts that do not fit the free memory are read from the file when a token uses them';

interface SizedFile {
  path: string;
  size: number;
}

/**
 * `paddock show`: reads the model's files and estimates its load on this machine, without a server. The command fails
 * with an `Error` for an unknown model.
 */
export function registerShow(program: Command): void {
  const command = program
    .command('show')
    .description('show everything that is known about a model')
    .argument('<model>', 'its id, an alias, or the name of a starter model')
    .option('--json', 'print the Model object of the API, and its files');
  addSettings(command, ['models']).action(show);
}

async function show(name: string, options: Record<string, unknown>): Promise<void> {
  const config = readCommandConfig(options);
  const { readLocalModels, unknownModel } = await import('../local-models.ts');
  const { toModel } = await import('../../api/models/model-object.ts');
  const catalogue = await readLocalModels(config.models);
  const card = findByName(catalogue, name);
  const source = card && catalogue.sourceOf(card.id);
  if (!source)
    throw unknownModel(
      name,
      catalogue.list().map((other) => other.id),
    );
  const model = toModel(card, undefined);
  const files = await sizesOf(source);
  const { estimateLoad } = await import('../estimate-load.ts');
  const memory = estimateLoad(source, config);
  if (options.json) return printJson({ ...model, files, memory: toJson(memory) });
  const colours = coloursFor(process.stdout);
  const facts = [
    ...factsOf(model),
    ...pictureFact(source),
    ...(await formatFact(model)),
    ...memoryFacts(memory, source),
    ...(await gpuFact(source, config)),
  ];
  print(formatFacts(facts, colours));
  print(
    `\n${formatTable([['file', 'size'], ...files.map(({ path, size }) => [path, formatBytes(size)])], { right: [1], colours })}`,
  );
}

function sizesOf({ files, projector, adapters = [] }: ModelSource): Promise<SizedFile[]> {
  const paths = [...files, ...(projector ? [projector] : []), ...adapters.map(({ file }) => file)];
  return Promise.all(paths.map(async (path) => ({ path, size: (await stat(path)).size })));
}

function factsOf(model: Model): [string, string][] {
  const { tools, reasoning } = model.capabilities;
  const abilities = [...(tools ? ['tools'] : []), ...(reasoning ? ['reasoning'] : [])];
  const facts: [string, string][] = [
    ['id', model.id],
    ['name', model.name],
    ['description', model.description],
    ['kind', purposeOf(model)],
    ['knows', abilities.join(', ')],
    ['made by', model.metadata.author || model.owned_by],
    ['version', model.version],
    ['tags', model.metadata.tags.join(', ')],
    ['quantization', quantizationOf(model)],
    ['parameters', `${formatCount(model.meta.n_params)} (${model.meta.n_params})`],
    ['context', `${model.context_length} tokens, ${model.meta.n_ctx_train} in training`],
    ['size', `${formatBytes(model.meta.size)} (${model.meta.size} bytes)`],
    ['added', new Date(model.created * 1000).toISOString()],
    ['settings', shown(model.settings, ['prompt_template', 'ctx_len', 'embedding', 'vision_model', 'mmproj', 'lora'])],
    ['LoRA adapters', (model.settings.lora ?? []).map(({ id, scale }) => `${id} (scale ${scale})`).join(', ')],
    ['parameters set', shown(model.parameters, [])],
    [
      'template',
      model.settings.prompt_template ? `${model.settings.prompt_template.length} characters (--json shows it)` : '',
    ],
    ['sources', (model.sources ?? []).flatMap(({ url }) => (url ? [url] : [])).join(' ')],
  ];
  return facts.filter(([, value]) => value !== '');
}

/** Returns the room that a picture takes in the context window. A picture that was read before costs no time. */
function pictureFact({ shape: { projector } }: ModelSource): [string, string][] {
  const tokens = projector?.pictureTokens;
  return tokens === undefined ? [] : [['a picture', `${tokens} tokens with 1024 x 1024 pixels, computed once`]];
}

/** Returns how a chat model writes tool calls and reasoning, and how that was found. */
async function formatFact({ capabilities, settings }: Model): Promise<[string, string][]> {
  if (capabilities.embedding || capabilities.rerank) return [];
  const { findFormat } = await import('../../chat/formats/index.ts');
  const { family, source } = findFormat(settings.prompt_template);
  const found: Record<typeof source, string> = {
    'read back': `${family}: it reads the calls that the template writes`,
    marks: `${family}: the template has its marks, but writes no calls`,
    derived: 'derived from the calls that the template writes',
    none: `${family}: the template shows no calls`,
  };
  return [['format', found[source]]];
}

function toJson({ contextLength, readPerToken, fromFile, passedOver, ...memory }: LoadEstimate) {
  const words = { context_length: contextLength, read_per_token: readPerToken, from_file: fromFile };
  return { ...memory, ...words, passed_over: passedOver };
}

/** Returns the memory of a load without a GPU, what a token reads of it, and why the model does not fit. */
function memoryFacts(load: LoadEstimate, { shape: { experts } }: ModelSource): [string, string][] {
  const { total, weights, cache, compute, backend, slots, contextLength } = load;
  const parts = `weights ${formatBytes(weights)}, cache ${formatBytes(cache)}, compute ${formatBytes(compute)}`;
  const ground = backend === 'wasm' ? 'WebAssembly' : 'the CPU';
  const of = experts ? `, with ${experts.used} of ${experts.count} experts in each layer` : '';
  return [
    [
      'memory',
      `about ${formatBytes(total)} on ${ground} (${parts}) with ${slots} slots of up to ${contextLength} tokens`,
    ],
    ...load.passedOver.map((reason): [string, string] => ['passed over', reason]),
    ['each token', `reads ${formatBytes(load.readPerToken)} of weights${of}`],
    ...(load.fromFile ? [['fits', FROM_FILE] satisfies [string, string]] : []),
    ...(load.shortage === null ? [] : [['fits', `not now: ${load.shortage}`] satisfies [string, string]]),
  ];
}

/** Returns what would go to the GPU of this machine, if it has one that the configuration allows. */
async function gpuFact(source: ModelSource, config: Config): Promise<[string, string][]> {
  if (config.backend !== 'auto' && config.backend !== 'gpu') return [];
  const { createFindGpu } = await import('../../pool/load/find-gpu.ts');
  const { gpu } = await createFindGpu()();
  if (!gpu) return [];
  const { describeGpuLoad, estimateGpuLoad } = await import('../estimate-load.ts');
  const estimate = estimateGpuLoad(source, config, gpu);
  return [[gpu.runtime, estimate ? describeGpuLoad(estimate) : 'not one layer fits its memory']];
}

/** Returns the fields and their values as text, without the fields in `without`. */
function shown(fields: object, without: string[]): string {
  return Object.entries(fields)
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ');
}
