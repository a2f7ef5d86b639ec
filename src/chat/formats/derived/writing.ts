import type { CallSyntax } from '../writing.ts';
import { type CallShape, fillHoles, HOLES } from './shape.ts';

/** Returns how calls in a shape are written. */
export function shapeWriting({ open, separator, close, before, after, arguments: form }: CallShape): CallSyntax {
  const isInJson = form.kind === 'json' && form.json !== undefined;
  const between = form.kind === 'json' ? form.between : form.open;
  return {
    open,
    separator,
    close,
    call: (name, index) => {
      const written = isInJson ? JSON.stringify(name).slice(1, -1) : name;
      return [
        fillHoles(before, index, name) + written + fillHoles(between, index, name),
        fillHoles(after, index, name),
      ];
    },
    ...(form.kind === 'tagged' && {
      members: {
        key: form.key,
        text: form.text,
        other: (type) => form.other.replaceAll(HOLES.type, type === 'integer' ? 'number' : type),
        end: () => form.end,
        separator: form.separator,
      },
    }),
  };
}
