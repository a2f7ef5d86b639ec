import type { EngineOptions } from '../../../engine.ts';
import type { Library } from '../library/library.ts';

/** The options on which it depends whether a model's MTP layer is used. */
export type MtpOption = 'mtp' | 'draft' | 'eagle3' | 'oneByOne';

/** True if the MTP layer of a model is loaded with it. */
export function loadsMtp(library: Pick<Library, 'hidden'>, options: Pick<EngineOptions, MtpOption>): boolean {
  return options.mtp !== undefined && whyNoMtp(library, options) === undefined;
}

/** Returns why the MTP layer of a model that has one is not used; undefined if it is. */
export function whyNoMtp(
  library: Pick<Library, 'hidden'>,
  { mtp, draft, eagle3, oneByOne }: Pick<EngineOptions, MtpOption>,
): string | undefined {
  if (mtp?.off !== undefined) return mtp.off;
  if (oneByOne) return 'every token is drawn by itself';
  if (draft !== undefined || eagle3 !== undefined) return 'a draft model guesses in its place';
  if (!library.hidden) return "llama.cpp's libraries for this system have no functions for it";
  return undefined;
}
