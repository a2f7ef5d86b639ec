import { t } from '../messages/language.ts';
import { isHealth } from '../page/health.ts';
import { settleFresh } from '../presets/actions.ts';
import { type Context, messageOf, setValues, tell } from '../state/context.ts';
import { keepArrival, keepDefaultModel, keepModel, readArrival } from '../state/preferences.ts';
import { findConversation } from '../state/selectors.ts';
import { type Arrival, type ArrivalEvent, arrivalOf, type KeptArrival, stopped, withArrivalEvent } from './arrival.ts';
import type { ListedModel } from './model.ts';

export interface ModelActions {
  /** Fetches the list of models and the state of the server again. */
  refresh(): Promise<void>;
  refreshHealth(): Promise<void>;
  /** Chooses the model of a conversation, by default the current one, and of new ones. */
  choose(id: string, conversationId?: string): void;
  /** Has all new conversations begin with this model; null, with the one that was chosen last. */
  setDefault(id: string | null): void;
  /** Loads a model into memory, or takes it out. */
  load(id: string): Promise<void>;
  unload(id: string): Promise<void>;
  pull(source: string): Promise<void>;
  importFile(file: File): Promise<void>;
  /** Stops the running pull. What has come is kept. */
  pauseArrival(): void;
  /** Goes on with a pull that was paused or failed. */
  goOn(): Promise<void>;
  /** Takes up the pull that this tab had begun before it was loaded again. */
  resumeArrival(): void;
  /** Ends the running pull or import, and forgets it. The bytes of a pull are kept for the next one. */
  cancelArrival(): void;
  remove(id: string): Promise<void>;
}

/** `onModels` is called when the list of models has come. */
export function modelActions(context: Context, onModels: () => void): ModelActions {
  const { store, client } = context;
  let arriving: AbortController | null = null;

  const refreshHealth = async () => {
    const health = await client.get('/health').catch(() => null);
    store.dispatch({ kind: 'health', health: isHealth(health) ? health : null });
  };
  const refresh = async () => {
    const [list] = await Promise.all([client.get('/v1/models') as Promise<{ data: ListedModel[] }>, refreshHealth()]);
    store.dispatch({ kind: 'models', models: list.data });
    settleFresh(context);
    onModels();
  };
  const choose = (id: string, conversationId = store.get().currentId) => {
    keepModel(id);
    store.dispatch({ kind: 'preferred model', id });
    setValues(context, conversationId, { model: id });
    settleFresh(context);
  };

  const move = async (model: string, path: string) => {
    try {
      await Promise.all([client.post(path, { model }), refreshHealth()]);
      await refresh();
    } catch (error) {
      tell(context, messageOf(error), 'bad');
      await refreshHealth();
    }
  };

  const show = (arrival: Arrival | null) => {
    store.dispatch({ kind: 'arrival', arrival });
    if (arrival?.kind === 'import') return;
    keepArrival(arrival && toKept(arrival));
  };

  /** Only one runs at a time: the form is closed while a model arrives. */
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
      // Whoever stops it says what is shown then.
      if (!stopper.signal.aborted) show(stopped(arrival, messageOf(error)));
    }
  };
  const pull = (source: string, known: Partial<KeptArrival> = {}) =>
    receive({ ...arrivalOf(source), ...known, paused: false }, '/v1/models/pull', { model: source });

  /** A model that comes while its conversation goes on with another one does not take its place. */
  const welcome = async ({ id, name }: ListedModel, alreadyHere: boolean, conversationId: string) => {
    await refresh();
    const isEmpty = findConversation(store.get(), conversationId)?.turns.length === 0;
    if (isEmpty) choose(id, conversationId);
    tell(context, t(alreadyHere ? 'models.alreadyHere' : 'models.ready', { name }));
  };

  return {
    refresh,
    refreshHealth,
    choose,
    setDefault: (id) => {
      keepDefaultModel(id);
      store.dispatch({ kind: 'default model', id });
    },
    load: (id) => move(id, '/v1/models/load'),
    unload: (id) => move(id, '/v1/models/unload'),
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
    remove: async (id) => {
      try {
        await client.remove(`/v1/models/${encodeURIComponent(id)}`);
        await refresh();
        tell(context, t('models.removed', { id }));
      } catch (error) {
        tell(context, messageOf(error), 'bad');
      }
    },
  };
}

/** One that failed is tried again by a reload, which itself breaks the connection. */
function toKept({ source, completed, total, paused }: Arrival): KeptArrival {
  return { source, completed, total, paused };
}
