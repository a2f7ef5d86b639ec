import type { Emit } from '../../contract/events.ts';

/** A run that repeats what another engine has said of a choice already. */
export interface Replay {
  /** Passes events on once the run has come to where the other engine was. */
  emit: Emit;
  /** Whether the run has said anything else. Nothing more is passed on then. */
  readonly diverged: boolean;
}

/** @param said the text that was said before */
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
