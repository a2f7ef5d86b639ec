/** Saves a text as a file, through the browser's downloads. */
export function saveFile(name: string, text: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // By the next task the download has begun.
  setTimeout(() => URL.revokeObjectURL(link.href));
}

/** Makes the name of a file of a title: its letters and digits. */
export function fileNameOf(title: string): string {
  const words = title.match(/[\p{L}\p{M}\p{N}]+/gu) ?? ['chat'];
  return Array.from(words.join('-')).slice(0, 60).join('');
}
