/** Saves a text as a file, through the browser's downloads. */
export function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  // By the next task the download has begun.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
