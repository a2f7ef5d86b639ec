import type { ListedModel } from '../../../src/contract/models/model.ts';
import { t } from '../messages/language.ts';
import { isHealth } from '../page/health.ts';
import { settleFresh } from '../presets/actions.ts';
import { type Context, localizedMessageOf, setValues, tell } from '../state/context-actions.ts';
import { keepDefaultModel, keepModel } from '../state/preferences.ts';
import { type ArrivalActions, arrivalActions } from './arrival-actions.ts';

export interface ModelActions extends ArrivalActions {
  /** Fetches the list of models and the state of the server again. */
  refresh(): Promise<void>;
  refreshHealth(): Promise<void>;
  /** Chooses the model of a conversation, by default of the current one. New conversations get this model too. */
  choose(id: string, conversationId?: string): void;
  /** Sets the model of all new conversations; with null, they get the model that was chosen last. */
  setDefault(id: string | null): void;
  load(id: string): Promise<void>;
  /** Frees the memory of a model. */
  unload(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** `onModels` is called when the list of models was fetched. */
export function modelActions(context: Context, onModels: () => void): ModelActions {
  const { store, client } = context;

  let asked = 0;
  let shown = 0;
  const refreshHealth = async () => {
    asked += 1;
    const mine = asked;
    const health = await client.get('/health').catch(() => null);
    // A later answer has come before this one.
    if (mine < shown) return;
    shown = mine;
    store.dispatch({ kind: 'health', health: isHealth(health) ? health : null });
  };
  const refresh = async () => {
    const [list] = await Promise.all([client.get('/v1/models') as Promise<{ data: ListedModel[] }>, refreshHealth()]);
    store.dispatch({ kind: 'models', models: list.data.filter((one) => !one.alias_of) });
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
      tell(context, localizedMessageOf(error), 'bad');
      await refreshHealth();
    }
  };

  const arrivals = arrivalActions(context, { refresh, choose });

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
    ...arrivals,
    remove: async (id) => {
      try {
        await client.remove(`/v1/models/${encodeURIComponent(id)}`);
        await refresh();
        tell(context, t('models.removed', { id }));
      } catch (error) {
        tell(context, localizedMessageOf(error), 'bad');
      }
    },
  };
}
