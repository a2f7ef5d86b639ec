import { type Arrival, type ArrivalEvent, arrivalOf, withArrivalEvent } from '../data/arrival.ts';
import { isHealth } from '../data/health.ts';
import type { ListedModel } from '../data/model.ts';
import { keepModel } from '../storage/preferences.ts';
import { type Context, messageOf, setValues, tell } from './context.ts';

export interface ModelActions {
  /** Fetches the list of models and the state of the server again. */
  refresh(): Promise<void>;
  refreshHealth(): Promise<void>;
  /** Chooses the model of a conversation, by default the current one, and of new ones. */
  choose(id: string, conversationId?: string): void;
  pull(source: string): Promise<void>;
  importFile(file: File): Promise<void>;
  /** Cancels the running pull or import. The bytes of a pull are kept for the next one. */
  cancelArrival(): void;
  dismissArrival(): void;
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
    onModels();
  };
  const choose = (id: string, conversationId = store.get().currentId) => {
    keepModel(id);
    store.dispatch({ kind: 'preferred model', id });
    setValues(context, conversationId, { model: id });
  };

  /** Only one runs at a time: the form is closed while a model arrives. */
  const receive = async (source: string, path: string, body: object | Blob) => {
    const stopper = new AbortController();
    arriving = stopper;
    // Another conversation may be open when the model has come.
    const { currentId } = store.get();
    let arrival = arrivalOf(source);
    const show = (next: Arrival | null) => store.dispatch({ kind: 'arrival', arrival: next });
    show(arrival);
    try {
      for await (const event of client.events(path, body, stopper.signal) as AsyncGenerator<ArrivalEvent>) {
        arrival = withArrivalEvent(arrival, event);
        show(arrival);
        if (event.status === 'done') await welcome(event.model, event.already_here, currentId);
      }
      show(null);
    } catch (error) {
      show(stopper.signal.aborted ? null : { ...arrival, failure: messageOf(error) });
    }
  };
  const welcome = async ({ id, name }: ListedModel, alreadyHere: boolean, conversationId: string) => {
    await refresh();
    choose(id, conversationId);
    tell(context, `${name} is ${alreadyHere ? 'already here' : 'ready'}.`);
  };

  return {
    refresh,
    refreshHealth,
    choose,
    pull: (source) => receive(source, '/v1/models/pull', { model: source }),
    importFile: (file) =>
      receive(file.name, `/v1/models/import?filename=${encodeURIComponent(file.name)}&size=${file.size}`, file),
    cancelArrival: () => arriving?.abort(),
    dismissArrival: () => store.dispatch({ kind: 'arrival', arrival: null }),
    remove: async (id) => {
      try {
        await client.remove(`/v1/models/${encodeURIComponent(id)}`);
        await refresh();
        tell(context, `Removed ${id}.`);
      } catch (error) {
        tell(context, messageOf(error), 'bad');
      }
    },
  };
}
