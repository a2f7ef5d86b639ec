/** Saves a text as a file, through the browser's downloads. */
export function saveFile(name: string, text: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // The download has begun by the next task, so the URL can be freed.
  setTimeout(() => URL.revokeObjectURL(link.href));
}

/** Returns a file name for a title: its letters and digits. */
export function fileNameOf(title: string): string {
  const words = title.match(/[\p{L}\p{M}\p{N}]+/gu) ?? ['chat'];
  return Array.from(words.join('-')).slice(0, 60).join('');
}
