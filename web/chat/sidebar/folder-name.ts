/** The length of the longest name of a folder, as fields and strings count it. */
export const FOLDER_NAME_LENGTH = 60;

/** A name as it is kept: without needless spaces, and cut if it is too long. A half character at the cut goes too. */
export function tidyFolderName(text: string): string {
  const name = text.trim().replace(/\s+/g, ' ').slice(0, FOLDER_NAME_LENGTH);
  return name.replace(/[\uD800-\uDBFF]$/, '').trimEnd();
}

/** Tidies a name that a person has typed. One that differs from a known name only in its case means the known one. */
export function folderName(typed: string, known: string[]): string {
  const name = tidyFolderName(typed);
  return known.find((one) => one === name) ?? known.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
}
