/** Some file systems allow no longer names; the longest ending that a pull adds is `.part`. */
const MAX_NAME_BYTES = 240;

/** What no name may hold on one system or another: separators, control characters and signs with a meaning of their own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f/\\:*?"<>|]/;

/**
 * Whether a name from elsewhere can be the name of a file or folder here: one step of a path, visible, and no way out
 * of its folder.
 */
export function isSafeName(name: string): boolean {
  return (
    name !== '' &&
    !name.startsWith('.') &&
    !name.endsWith('.') &&
    name.trim() === name &&
    !FORBIDDEN.test(name) &&
    new TextEncoder().encode(name).length <= MAX_NAME_BYTES
  );
}

/** llama.cpp's own tool makes no more. */
const MAX_SHARDS = 1000;

/** The last step of a path with `/` between its steps. */
export function lastStep(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A split GGUF's name: `prefix` `-00001-of-00003.gguf`. */
const SHARD = /^(?<prefix>.+)-(?<number>\d{5})-of-(?<total>\d{5})\.gguf$/i;

/** The names of all files of the model that a GGUF is a part of, in order; of one that is not split, its own alone. */
export function shardsOf(path: string): string[] {
  const { prefix, number, total } = SHARD.exec(path)?.groups ?? {};
  if (prefix === undefined || total === undefined || Number(total) > MAX_SHARDS) return [path];
  if (Number(number) < 1 || Number(number) > Number(total)) return [path];
  const ending = path.slice(-'.gguf'.length);
  return Array.from(
    { length: Number(total) },
    (_, index) => `${prefix}-${String(index + 1).padStart(5, '0')}-of-${total}${ending}`,
  );
}

/** A GGUF's name without folders, ending and part number, and without spaces, since it becomes a model's id. */
export function stemOf(path: string): string {
  const name = lastStep(path);
  return (SHARD.exec(name)?.groups?.prefix ?? name.replace(/\.gguf$/i, '')).replace(/\s+/g, '-');
}

/** What a GGUF from elsewhere is called here. */
export function localName(path: string): string {
  return lastStep(path).replace(/\.gguf$/i, '.gguf');
}

export function isGguf(path: string): boolean {
  return /\.gguf$/i.test(path);
}
