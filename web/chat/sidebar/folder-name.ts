/** The longest name of a folder, in UTF-16 code units, as `maxlength` counts them. */
export const FOLDER_NAME_LENGTH = 60;

/**
 * Returns a name as it is stored: without needless spaces, and cut to the longest length, but never within a surrogate
 * pair.
 */
export function tidyFolderName(text: string): string {
  const name = text.trim().replace(/\s+/g, ' ').slice(0, FOLDER_NAME_LENGTH);
  return name.replace(/[\uD800-\uDBFF]$/, '').trimEnd();
}

/** Returns the folder name for a typed name. If it differs from a known name only in case, returns the known name. */
export function folderName(typed: string, known: string[]): string {
  const name = tidyFolderName(typed);
  return known.find((one) => one === name) ?? known.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
}
