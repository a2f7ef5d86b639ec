/** A pause in typing or pointing is at least this long, in ms. */
const PAUSE_MS = 1000;

/** Watches the typing and pointing of the user at a page. */
export interface Typing {
  /** Resolves once nobody has typed or pointed for `PAUSE_MS`. */
  whenPaused(): Promise<void>;
}

/** Watches the events of `target`. A page waits for a pause before it reloads, because a reload loses unsent text. */
export function watchTyping(target: EventTarget): Typing {
  let last = Number.NEGATIVE_INFINITY;
  const note = () => {
    last = performance.now();
  };
  for (const kind of ['keydown', 'input', 'pointerdown']) target.addEventListener(kind, note, { capture: true });

  return {
    async whenPaused() {
      for (;;) {
        const left = last + PAUSE_MS - performance.now();
        if (left <= 0) return;
        await new Promise((resolve) => setTimeout(resolve, left));
      }
    },
  };
}
