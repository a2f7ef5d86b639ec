import { statSync } from 'node:fs';
import type { ModelSource } from '../engine.ts';

/** Returns a text that changes when a file of the model is replaced or changed; null if a file is missing. */
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
