import { statSync } from 'node:fs';
import type { ModelSource } from '../engine.ts';

/** The files of a model on which its replies depend. A draft model changes no reply. */
export type StampedFiles = Pick<ModelSource, 'files' | 'projector' | 'adapters'>;

/** Returns a text that changes when a file of the model is replaced or changed; null if a file is missing. */
export function stampOf({ files, projector, adapters = [] }: StampedFiles): string | null {
  try {
    const all = [...files, ...(projector === undefined ? [] : [projector]), ...adapters.map(({ file }) => file)];
    const stamps = all.map((file) => {
      const { size, mtimeMs, ctimeMs, ino, dev } = statSync(file);
      return [size, mtimeMs, ctimeMs, ino, dev].join(':');
    });
    return stamps.join(' ');
  } catch {
    return null;
  }
}
