import { render } from 'preact';
import { createApiClient } from './api/client.ts';
import { newHead } from './conversation/tree/operations.ts';
import { createClock } from './conversation/tree/stamp.ts';
import { t } from './messages/language.ts';
import { App } from './page/app.tsx';
import { beginLanguage } from './page/language-actions.ts';
import { beginTheme } from './page/theme-actions.ts';
import { createActions } from './state/actions.ts';
import { idInAddress } from './state/address.ts';
import { openChannel } from './state/channel.ts';
import { openDatabase } from './state/database.ts';
import { newId } from './state/new-id.ts';
import { readDefaultModel, readKey, readModel, readWaiting } from './state/preferences.ts';
import { initialState, reduce } from './state/state.ts';
import { createStore } from './state/store.ts';
import { ActionsContext } from './state/use-actions.ts';
import { StoreContext } from './state/use-select.ts';

beginTheme();
void beginLanguage().then(begin);

/** Opens the page, once the file of its language is loaded. */
function begin(): void {
  const tab = newId();
  const clock = createClock(tab, Date.now);
  const fresh = newHead(newId(), clock.next());
  const store = createStore(reduce, initialState(fresh, readModel(), idInAddress(), readWaiting()));
  store.dispatch({ kind: 'default model', id: readDefaultModel() });
  const client = createApiClient({
    key: readKey,
    onKeyWanted: (message) => store.dispatch({ kind: 'key wanted', message }),
  });
  const warn = (text: string) => store.dispatch({ kind: 'notice', notice: { text, tone: 'bad' } });
  const database = openDatabase(() => warn(t('page.updated')));
  void database.blocked.then(() => warn(t('page.olderOpen')));
  const actions = createActions({ store, client, database, channel: openChannel(tab), clock, reads: new Map() });

  render(
    <StoreContext.Provider value={store}>
      <ActionsContext.Provider value={actions}>
        <App />
      </ActionsContext.Provider>
    </StoreContext.Provider>,
    document.getElementById('page') as HTMLElement,
  );

  actions.open();
}
