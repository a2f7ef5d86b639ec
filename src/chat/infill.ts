import { unsupportedParameter } from '../contract/errors.ts';
import type { InfillPrompt } from '../contract/prompt.ts';

/** The texts of the tokens with which an infilling model reads a gap. */
export interface InfillMarks {
  prefix: string;
  suffix: string;
  middle: string;
  /** Stands before the name of a file; absent if the model was not trained on several files. */
  file?: string;
  /** Stands before the name of a repository, at the beginning of its files. */
  repository?: string;
}

/** The names in the prompt of what a request does not name. */
const REPOSITORY = 'project';
const CURRENT_FILE = 'current';

/**
 * Returns the prompt of a gap: the other files, the text before the gap, the text after it, and the mark after which the model fills the
 * gap. Throws a 400 `ApiError` if the model can't infill.
 */
export function infillText(
  { prefix, suffix, files = [], param = 'suffix' }: InfillPrompt,
  marks: InfillMarks | null,
): string {
  if (!marks) throw unsupportedParameter(param, 'The model can not fill in between two texts.');
  return `${filesText(files, marks)}${marks.prefix}${prefix}${marks.suffix}${suffix}${marks.middle}`;
}

function filesText(files: NonNullable<InfillPrompt['files']>, { file, repository }: InfillMarks): string {
  if (files.length === 0) return '';
  if (file === undefined) return files.map(({ name, text }) => `${name}\n\n${text}\n\n`).join('');
  const opening = repository === undefined ? '' : `${repository}${REPOSITORY}\n`;
  return `${opening}${files.map(({ name, text }) => `${file}${name}\n${text}`).join('')}${file}${CURRENT_FILE}\n`;
}
