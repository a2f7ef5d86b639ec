import { statSync } from 'node:fs';
import type { ModelSource } from '../engine.ts';

/** A text that differs once a file of the model has been replaced or changed; null while one of them is missing. */
export function stampOf({ files, projector }: Pick<ModelSource, 'files' | 'projector'>): string | null {
  try {
    const stamps = [...files, ...(projector === undefined ? [] : [projector])].map((file) => {
      const { size, mtimeMs, ctimeMs, ino, dev } = statSync(file);
      return [size, mtimeMs, ctimeMs, ino, dev].join(':');
    });
    return stamps.join(' ');
  } catch {
    return null;
  }
}
