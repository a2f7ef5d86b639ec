import type { Senses } from '../contract/models/senses.ts';
import { createFields } from '../gguf/fields.ts';
import type { GgufFile } from './found-file.ts';

const F16 = 1;

/** True if a GGUF is a projector: the part of a model that turns images or audio into embeddings. */
export function isProjector({ file, header }: GgufFile): boolean {
  const fields = createFields(header.fields);
  return (
    isNamedProjector(file.name) ||
    fields.text('general.architecture') === 'clip' ||
    fields.text('general.type') === 'mmproj'
  );
}

/** Architectures that are only made for models with a projector. */
const WITH_PROJECTOR = /^(?:qwen2vl|qwen3vl|qwen3vlmoe|cogvlm|chameleon|hunyuan_vl|paddleocr|deepseek2-ocr)$/;

/** True if a model of this architecture is made for images or audio, which it only takes through a projector. */
export function needsProjector(architecture: string): boolean {
  return WITH_PROJECTOR.test(architecture);
}

/** True if a file has a projector's name, as in `mmproj-model-f16.gguf`. Tells it without reading the file. */
export function isNamedProjector(name: string): boolean {
  return name.toLowerCase().includes('mmproj');
}

/** Returns which media a model takes through its projector: none without a projector. */
export function projectorSenses(projector: GgufFile | null): Senses {
  if (!projector) return { vision: false, audio: false };
  const fields = createFields(projector.header.fields);
  const audio = fields.flag('clip.has_audio_encoder');
  // Early projectors name no sense. All of them are for images.
  return { audio, vision: fields.flag('clip.has_vision_encoder') || !audio };
}

/**
 * Chooses the projector of a model among those in its folder. Returns null if none fits. If the model has the folder to
 * itself, any of them fits. Otherwise a projector must make embeddings of the model's width. Among several, the one
 * whose name is most like the model's comes first, then one in 16-bit floats, then the first by name.
 */
export function chooseProjector(model: GgufFile, alone: boolean, projectors: GgufFile[]): GgufFile | null {
  const fitting = alone ? projectors : projectors.filter((projector) => fits(projector, model));
  const score = (projector: GgufFile) =>
    2 * likeness(projector.file.name, model.file.name) + (isF16(projector) ? 1 : 0);
  const [best] = fitting.toSorted((a, b) => score(b) - score(a) || (a.file.name < b.file.name ? -1 : 1));
  return best ?? null;
}

function fits(projector: GgufFile, model: GgufFile): boolean {
  const fields = createFields(model.header.fields);
  const width = fields.number(`${fields.text('general.architecture')}.embedding_length`);
  const projected = createFields(projector.header.fields);
  return ['vision', 'audio'].some(
    (sense) => width !== undefined && projected.number(`clip.${sense}.projection_dim`) === width,
  );
}

function isF16({ header }: GgufFile): boolean {
  return createFields(header.fields).number('general.file_type') === F16;
}

/** Counts the letters that the two names have in common at their beginning. "mmproj" is left out. */
function likeness(projector: string, model: string): number {
  const name = projector.toLowerCase().replace(/[-_.]?mmproj[-_.]?/, '');
  const other = model.toLowerCase();
  let length = 0;
  while (length < name.length && name[length] === other[length]) length++;
  return length;
}
