import { render } from 'preact';
import { createActions } from './actions/actions.ts';
import { idInAddress } from './actions/address.ts';
import { beginLanguage } from './actions/language.ts';
import { createClient } from './api/client.ts';
import { newId } from './data/new-id.ts';
import { initialState, reduce } from './data/state.ts';
import { newHead } from './data/tree/operations.ts';
import { createClock } from './data/tree/stamp.ts';
import { t } from './messages/language.ts';
import { openDatabase } from './storage/database.ts';
import { applyTheme, readDefaultModel, readKey, readModel, readTheme, readWaiting } from './storage/preferences.ts';
import { createStore } from './store.ts';
import { openChannel } from './tabs/channel.ts';
import { ActionsContext } from './view/actions.ts';
import { App } from './view/app.tsx';

applyTheme(readTheme());
void beginLanguage().then(begin);

/** Opens the page. Its words are there. */
function begin(): void {
  const tab = newId();
  const clock = createClock(tab, Date.now);
  const fresh = newHead(newId(), clock.next());
  const store = createStore(reduce, initialState(fresh, readModel(), idInAddress(), readWaiting()));
  store.dispatch({ kind: 'default model', id: readDefaultModel() });
  const client = createClient({
    key: readKey,
    onKeyWanted: (message) => store.dispatch({ kind: 'key wanted', message }),
  });
  const warn = (text: string) => store.dispatch({ kind: 'notice', notice: { text, tone: 'bad' } });
  const database = openDatabase(() => warn(t('page.updated')));
  void database.blocked.then(() => warn(t('page.olderOpen')));
  const actions = createActions({ store, client, database, channel: openChannel(tab), clock, reads: new Map() });

  render(
    <ActionsContext.Provider value={actions}>
      <App store={store} />
    </ActionsContext.Provider>,
    document.getElementById('page') as HTMLElement,
  );

  actions.open();
}
