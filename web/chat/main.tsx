import { render } from 'preact';
import { createClient } from './api/client.ts';
import { newHead } from './conversation/tree/operations.ts';
import { createClock } from './conversation/tree/stamp.ts';
import { t } from './messages/language.ts';
import { App } from './page/app.tsx';
import { beginLanguage } from './page/language-actions.ts';
import { createActions } from './state/actions.ts';
import { idInAddress } from './state/address.ts';
import { openChannel } from './state/channel.ts';
import { openDatabase } from './state/database.ts';
import { newId } from './state/new-id.ts';
import { applyTheme, readDefaultModel, readKey, readModel, readTheme, readWaiting } from './state/preferences.ts';
import { initialState, reduce } from './state/state.ts';
import { createStore } from './state/store.ts';
import { ActionsContext } from './state/use-actions.ts';

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
