import type { ListedModel } from '../../../src/contract/models/model.ts';
import { t } from '../messages/language.ts';
import { type Context, localizedMessageOf, tell } from '../state/context-actions.ts';
import { keepArrival, readArrival } from '../state/preferences.ts';
import { findConversation } from '../state/selectors.ts';
import { type Arrival, type ArrivalEvent, arrivalOf, type KeptArrival, stopped, withArrivalEvent } from './arrival.ts';

/** Actions that bring a model to this server or browser. One pull or import runs at a time. */
export interface ArrivalActions {
  pull(source: string): Promise<void>;
  importFile(file: File): Promise<void>;
  /** Pauses the running pull. Its bytes are kept. */
  pauseArrival(): void;
  /** Continues a pull that was paused or failed. */
  goOn(): Promise<void>;
  /** Continues the pull that this tab had begun before the page was reloaded. */
  resumeArrival(): void;
  /** Ends the running pull or import. The bytes of a pull are kept for the next pull of the same source. */
  cancelArrival(): void;
}

interface Needs {
  /** Fetches the list of models again. */
  refresh: () => Promise<void>;
  choose: (id: string, conversationId: string) => void;
}

export function arrivalActions(context: Context, { refresh, choose }: Needs): ArrivalActions {
  const { store, client } = context;
  let arriving: AbortController | null = null;

  const show = (arrival: Arrival | null) => {
    store.dispatch({ kind: 'arrival', arrival });
    if (arrival?.kind === 'import') return;
    keepArrival(arrival && toKept(arrival));
  };
  /**
   * Sends the request and shows its events. The form for the next model is hidden meanwhile, so only one request runs.
   */
  const receive = async (begun: Arrival, path: string, body: object | Blob) => {
    const stopper = new AbortController();
    arriving = stopper;
    // Another conversation may be open when the model has come.
    const { currentId } = store.get();
    let arrival = begun;
    show(arrival);
    try {
      for await (const event of client.events(path, body, stopper.signal) as AsyncGenerator<ArrivalEvent>) {
        arrival = withArrivalEvent(arrival, event);
        show(arrival);
        if (event.status === 'done') await welcome(event.model, event.already_here, currentId);
      }
      show(null);
    } catch (error) {
      // The action that aborts the request also sets what is shown then.
      if (!stopper.signal.aborted) show(stopped(arrival, localizedMessageOf(error)));
    }
  };
  const pull = (source: string, known: Partial<KeptArrival> = {}) =>
    receive({ ...arrivalOf(source), ...known, paused: false }, '/v1/models/pull', { model: source });

  /** Chooses the new model for its conversation, unless that conversation has begun with another model meanwhile. */
  const welcome = async ({ id, name }: ListedModel, alreadyHere: boolean, conversationId: string) => {
    await refresh();
    const isEmpty = findConversation(store.get(), conversationId)?.turns.length === 0;
    if (isEmpty) choose(id, conversationId);
    tell(context, t(alreadyHere ? 'models.alreadyHere' : 'models.ready', { name }));
  };

  return {
    pull: (source) => pull(source),
    importFile: (file) =>
      receive(
        arrivalOf(file.name, 'import'),
        `/v1/models/import?filename=${encodeURIComponent(file.name)}&size=${file.size}`,
        file,
      ),
    pauseArrival: () => {
      const { arrival } = store.get();
      arriving?.abort();
      if (arrival) show(stopped(arrival));
    },
    goOn: async () => {
      const arrival = store.get().arrival ?? readArrival();
      if (arrival) await pull(arrival.source, { completed: arrival.completed, total: arrival.total });
    },
    resumeArrival: () => {
      const kept = readArrival();
      if (!kept || store.get().arrival) return;
      if (kept.paused) show(stopped({ ...arrivalOf(kept.source), ...kept }));
      else void pull(kept.source, kept);
    },
    cancelArrival: () => {
      arriving?.abort();
      show(null);
    },
  };
}

/** A failure is not kept: a reload breaks the connection too, and the pull is tried again after it. */
function toKept({ source, completed, total, paused }: Arrival): KeptArrival {
  return { source, completed, total, paused };
}
