import type { FoundFile } from './found-file.ts';

/** The files of one model: one GGUF, or the parts of a split GGUF in order. */
export interface ModelFiles {
  /** The model's name, from `ggufStemOf`. */
  stem: string;
  files: FoundFile[];
  /** The number of parts that a split model should have; 1 for a whole GGUF. */
  parts: number;
}

/** Matches the name of one part of a split GGUF. */
const PART = /^(?<stem>.*)-(?<part>\d{5})-of-(?<parts>\d{5})\.gguf$/;

/** Returns a GGUF's name without `.gguf` and without the number of its part. */
export function ggufStemOf(name: string): string {
  return PART.exec(name)?.groups?.stem ?? name.slice(0, -'.gguf'.length);
}

/** Groups the GGUFs of a folder by model. */
export function groupFiles(files: FoundFile[]): ModelFiles[] {
  const models = new Map<string, ModelFiles>();
  for (const file of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const shard = PART.exec(file.name)?.groups;
    const stem = ggufStemOf(file.name);
    const parts = Number(shard?.parts ?? 1);
    const key = `${shard ? 'split' : 'whole'} ${parts} ${stem}`;
    const model = models.get(key) ?? { stem, files: [], parts };
    model.files.push(file);
    models.set(key, model);
  }
  return [...models.values()];
}

/**
 * Returns the id of a model whose model.json gives none. It is the model's path, or the folder's path if the folder has
 * the model's name and holds no other model. Spaces become hyphens, as in the ids of pulled models.
 */
export function defaultId({ stem, files }: ModelFiles, alone: boolean): string {
  const folder = files[0]?.folder ?? '';
  const whole = folder === '' ? stem : `${folder}/${stem}`;
  const id = alone && folder.split('/').at(-1) === stem ? folder : whole;
  return id.replace(/\s+/g, '-');
}

/** Returns the numbers of the parts that a split model lacks. */
export function missingParts({ files, parts }: ModelFiles): number[] {
  const there = new Set(files.map(({ name }) => Number(PART.exec(name)?.groups?.part ?? 1)));
  return Array.from({ length: parts }, (_, index) => index + 1).filter((number) => !there.has(number));
}
