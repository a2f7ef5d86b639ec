/** Some file systems allow 255 bytes at most. A pull appends `.part`. */
const MAX_NAME_BYTES = 240;

/**
 * Characters that some system forbids in names: separators, control characters and characters with a special meaning.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters.
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f/\\:*?"<>|]/;

/**
 * True if a name from elsewhere may become the name of a file or folder: it is a single step of a path, not hidden, and
 * can't lead out of its folder.
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

/** llama.cpp's own tool splits a model into no more parts than this. */
const MAX_SHARDS = 1000;

/** Returns the last step of a path with `/` between its steps. */
export function lastStep(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The name of a part of a split GGUF: `prefix`, then `-00001-of-00003.gguf`. */
const SHARD = /^(?<prefix>.+)-(?<number>\d{5})-of-(?<total>\d{5})\.gguf$/i;

/**
 * Returns the names of all parts of the split model that a GGUF belongs to, in order. If it is not split, returns just
 * its own name.
 */
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

/**
 * Returns a GGUF's name without folders, ending and part number. Spaces become hyphens, since it becomes a model's id.
 */
export function modelIdStemOf(path: string): string {
  const name = lastStep(path);
  return (SHARD.exec(name)?.groups?.prefix ?? name.replace(/\.gguf$/i, '')).replace(/\s+/g, '-');
}

/** Returns the name that a GGUF from elsewhere gets here. */
export function localName(path: string): string {
  return lastStep(path).replace(/\.gguf$/i, '.gguf');
}

/** True if a path or URL path ends in `.gguf`, in small or capital letters. Does not look into the file. */
export function isGguf(path: string): boolean {
  return /\.gguf$/i.test(path);
}
