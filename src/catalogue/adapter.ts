import type { OfferedAdapter } from '../contract/models/model.ts';
import { createFields } from '../gguf/fields.ts';
import type { GgufFile } from './found-file.ts';

/** A LoRA adapter of a model, with its file. */
export interface FoundAdapter extends OfferedAdapter {
  gguf: GgufFile;
}

/** The adapters that a model.json names: those that the model can have, and why it can't have the others. */
export interface NamedAdapterFiles {
  found: FoundAdapter[];
  /** Sentences that name the setting. */
  reasons: string[];
}

/** True if a GGUF is an adapter: changes of some weights, for a model in another file. */
export function isAdapter({ header }: Pick<GgufFile, 'header'>): boolean {
  return createFields(header.fields).text('general.type') === 'adapter';
}

/** Finds the adapters that a model.json names among those beside the model. They keep the order of the model.json. */
export function findAdapters(
  model: GgufFile,
  adapters: readonly GgufFile[],
  named: readonly OfferedAdapter[],
  writesText: boolean,
): NamedAdapterFiles {
  const found: FoundAdapter[] = [];
  const reasons: string[] = [];
  for (const [index, { id, scale }] of named.entries()) {
    const gguf = adapters.find(({ file }) => file.name === `${id}.gguf`);
    const misfit = writesText ? misfitOf(model, id, gguf) : 'only models that write text have adapters';
    if (gguf && misfit === null) found.push({ id, scale, gguf });
    else reasons.push(`settings.lora[${index}]: ${misfit}`);
  }
  return { found, reasons };
}

/** Returns why a model can't have an adapter, as far as the headers tell; null if it can. llama.cpp checks the tensors. */
function misfitOf(model: GgufFile, id: string, adapter: GgufFile | undefined): string | null {
  if (!adapter) return `there is no LoRA adapter ${id}.gguf beside the model`;
  const fields = createFields(adapter.header.fields);
  const type = fields.text('adapter.type') ?? 'unknown';
  if (type !== 'lora') return `${id}.gguf is an adapter of the type ${type}, not lora`;
  // Such an adapter changes only the tokens after certain words. Applied to all tokens, it would write another text.
  if (adapter.header.fields.has('adapter.alora.invocation_tokens'))
    return `${id}.gguf is an activated LoRA (aLoRA), which is not supported`;
  const [own, wanted] = [model, adapter].map(({ header }) => createFields(header.fields).text('general.architecture'));
  return own === wanted ? null : `${id}.gguf is for models of the architecture ${wanted}, and the model's is ${own}`;
}
