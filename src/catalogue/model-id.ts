/** The longest id, in characters. */
const LONGEST = 400;

/**
 * True if a model may have this id. An id has no white space and no control characters. Its steps, between slashes, are not empty, have no
 * backslash and do not begin with a dot, so that a program that makes a path of an id stays in its folder.
 */
export function isModelId(id: string): boolean {
  if (id.length > LONGEST || /[\s\p{C}\\]/u.test(id)) return false;
  return id.split('/').every((step) => step !== '' && !step.startsWith('.'));
}

/** What `isModelId` demands, for error messages. */
export const MODEL_ID_RULE = `must be a name of at most ${LONGEST} characters without spaces, whose steps between slashes do not begin with a dot`;
