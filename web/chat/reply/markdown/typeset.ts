import katex from 'katex';
import 'katex/dist/katex.min.css';
// Puts LaTeX on the clipboard when a formula is selected and copied.
import 'katex/contrib/copy-tex';

/** The largest number of macro expansions in a formula. */
const MOST_EXPANSIONS = 500;

/** The largest size that a formula may ask for, in em. */
const LARGEST_EM = 20;

/** Typesets a formula into an element. Returns false, and leaves the element empty, if KaTeX can't read it. */
export function typeset(latex: string, display: boolean, place: HTMLElement): boolean {
  try {
    // KaTeX creates each element and parses no HTML. Without `trust`, a formula has no links, pictures, ids or classes.
    katex.render(latex, place, {
      displayMode: display,
      trust: false,
      strict: 'ignore',
      maxExpand: MOST_EXPANSIONS,
      maxSize: LARGEST_EM,
    });
    return true;
  } catch {
    place.replaceChildren();
    return false;
  }
}
