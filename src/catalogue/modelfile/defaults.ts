import { SAMPLING_FIELDS, type SamplingField } from '../../contract/sampling.ts';
import { type Instruction, readInstructions, readParameter, wrongLine } from './read.ts';

/** What a Modelfile says, in the terms of a model.json. */
export interface ModelfileDefaults {
  /** The value and the line of FROM; null without one. */
  from: { name: string; line: number } | null;
  settings: Record<string, unknown>;
  parameters: Record<string, unknown>;
  /** Instructions that are left out, since they do not change replies. */
  leftOut: string[];
}

/** Ollama's parameters that are settings of the model here: they say how it is loaded, so a profile can't have them. */
const LOADING: Record<string, string> = {
  num_ctx: 'ctx_len',
  num_gpu: 'ngl',
  num_thread: 'cpu_threads',
  main_gpu: 'main_gpu',
};

const FIELDS: SamplingField[] = Object.values(SAMPLING_FIELDS);

/** Instructions without an effect on replies. */
const LEFT_OUT = ['LICENSE', 'REQUIRES'];

/** Instructions that mean something and have no counterpart, with the reason. */
const REFUSED: Record<string, string> = {
  TEMPLATE:
    "is a template in Go's language: settings.prompt_template of a model.json takes Jinja, and a GGUF has its own",
  MESSAGE: 'is a message of a conversation, which a model.json can not have: send it with each request',
  PARSER: "names a parser of Ollama's: the family of the model is found by its template here",
  RENDERER: "names a renderer of Ollama's: the template of the GGUF is used here",
};

/**
 * Reads a Modelfile. With `isProfile`, instructions that say how the model is loaded are refused, because a profile runs
 * on the loaded model. Throws an `Error` that names the line of an instruction without a counterpart.
 */
export function readModelfile(text: string, isProfile: boolean): ModelfileDefaults {
  const defaults: ModelfileDefaults = { from: null, settings: {}, parameters: {}, leftOut: [] };
  for (const instruction of readInstructions(text)) add(defaults, instruction, isProfile);
  return defaults;
}

function add(defaults: ModelfileDefaults, instruction: Instruction, isProfile: boolean): void {
  const { name, value, line } = instruction;
  switch (name) {
    case 'FROM':
      defaults.from = { name: value, line };
      return;
    case 'SYSTEM':
      defaults.settings.system_prompt = value;
      return;
    case 'PARAMETER':
      addParameter(defaults, instruction, isProfile);
      return;
    case 'ADAPTER':
      if (isProfile) throw wrongLine(line, 'names a LoRA adapter, which a profile can not have: the model itself can');
      addAdapter(defaults, instruction);
      return;
    default: {
      if (LEFT_OUT.includes(name)) defaults.leftOut.push(name);
      else throw wrongLine(line, REFUSED[name] ?? `begins with ${name}, which is not an instruction`);
    }
  }
}

function addParameter(defaults: ModelfileDefaults, instruction: Instruction, isProfile: boolean): void {
  const { line } = instruction;
  const { name, value } = readParameter(instruction);
  const { settings, parameters } = defaults;
  const setting = LOADING[name];
  const field = FIELDS.find((each) => each.name === name);
  if (name === 'stop') {
    parameters.stop = [...((parameters.stop as string[] | undefined) ?? []), value];
  } else if (name === 'num_predict') {
    const limit = toNumber(value, name, line);
    // -1 and -2 are no limit but the window, as without the parameter.
    if (limit >= 0) parameters.max_tokens = limit;
  } else if (setting !== undefined) {
    if (isProfile) throw wrongLine(line, `sets ${name}, which a profile can not have: it is set for the model itself`);
    settings[setting] = toNumber(value, name, line);
  } else if (field && field.modelDefaults.length > 0) {
    const place = field.modelDefaults.includes('parameters') ? parameters : settings;
    place[name] = toNumber(value, name, line);
  } else {
    throw wrongLine(line, `sets ${name}, which has no counterpart in a model.json`);
  }
}

/** An adapter is named by its file, which has to lie beside the model. */
function addAdapter({ settings }: ModelfileDefaults, { value, line }: Instruction): void {
  const file = value.split(/[\\/]/).at(-1) ?? '';
  if (!file.endsWith('.gguf')) throw wrongLine(line, 'names an adapter that is not a GGUF: convert it first');
  const id = file.slice(0, -'.gguf'.length);
  settings.lora = [...((settings.lora as object[] | undefined) ?? []), { id, scale: 1 }];
}

function toNumber(value: string, name: string, line: number): number {
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) throw wrongLine(line, `sets ${name} to something that is not a number`);
  return number;
}
