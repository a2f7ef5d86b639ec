import type { FoundFile } from './found-file.ts';

/** The files of one model: its GGUF, or its split GGUFs in order. */
export interface ModelFiles {
  /** As `stemOf` gives it. */
  stem: string;
  files: FoundFile[];
  /** Of a split model, the parts that should be there. */
  parts: number;
}

/** The name of a part of a split file. */
const PART = /^(?<stem>.*)-(?<part>\d{5})-of-(?<parts>\d{5})\.gguf$/;

/** A GGUF's name without `.gguf` and without the number of a part. */
export function stemOf(name: string): string {
  return PART.exec(name)?.groups?.stem ?? name.slice(0, -'.gguf'.length);
}

/** Which of a folder's GGUFs make up which model. */
export function groupFiles(files: FoundFile[]): ModelFiles[] {
  const models = new Map<string, ModelFiles>();
  for (const file of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const shard = PART.exec(file.name)?.groups;
    const stem = stemOf(file.name);
    const parts = Number(shard?.parts ?? 1);
    const key = `${shard ? 'split' : 'whole'} ${parts} ${stem}`;
    const model = models.get(key) ?? { stem, files: [], parts };
    model.files.push(file);
    models.set(key, model);
  }
  return [...models.values()];
}

/** A model's id where its model.json gives it none: its path, or that of the folder that it has for itself and is named like. */
export function defaultId({ stem, files }: ModelFiles, alone: boolean): string {
  const folder = files[0]?.folder ?? '';
  if (folder === '') return stem;
  return alone && folder.split('/').at(-1) === stem ? folder : `${folder}/${stem}`;
}

/** The numbers of the parts that a split model lacks. */
export function missingParts({ files, parts }: ModelFiles): number[] {
  const there = new Set(files.map(({ name }) => Number(PART.exec(name)?.groups?.part ?? 1)));
  return Array.from({ length: parts }, (_, index) => index + 1).filter((number) => !there.has(number));
}
