import type { Emit } from '../../contract/events.ts';

/** A run that generates a choice again whose beginning was already emitted by a previous engine. */
export interface Replay {
  /** Emits the events that come after the text of the previous engine, and drops all events before. */
  emit: Emit;
  /** True if the run's text differs from the text of the previous engine. No more events are emitted then. */
  readonly diverged: boolean;
}

/** @param said the text that was emitted before */
export function createReplay(said: string, emit: Emit): Replay {
  let due = said;
  let diverged = false;

  return {
    get diverged() {
      return diverged;
    },
    emit(event) {
      if (diverged) return;
      if (due === '' || event.kind === 'progress') return emit(event);
      if (event.kind === 'text' && due.startsWith(event.text)) due = due.slice(event.text.length);
      else diverged = true;
    },
  };
}
