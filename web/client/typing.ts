/** For so long nobody types or points between two words, in ms. */
const PAUSE_MS = 1000;

/** What a person does at this page from now on. */
export interface Typing {
  /** Resolves once nobody has typed or pointed for a moment. */
  whenPaused(): Promise<void>;
}

/** Watches for a person's hands: what they do while a page is loaded again is lost. */
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
