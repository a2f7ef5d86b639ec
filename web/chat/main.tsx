import { render } from 'preact';
import { createActions } from './actions/actions.ts';
import { createClient } from './api/client.ts';
import { initialState, reduce } from './data/state.ts';
import { openDatabase } from './storage/database.ts';
import { keepConversations } from './storage/keep.ts';
import { applyTheme, readKey, readModel, readTheme } from './storage/preferences.ts';
import { createStore } from './store.ts';
import { ActionsContext } from './view/actions.ts';
import { App } from './view/app.tsx';

applyTheme(readTheme());
const store = createStore(reduce, initialState(Date.now(), readModel()));
const client = createClient({
  key: readKey,
  onKeyWanted: (message) => store.dispatch({ kind: 'key wanted', message }),
});
const database = openDatabase();
const actions = createActions({ store, client, database });
keepConversations(store, database);

render(
  <ActionsContext.Provider value={actions}>
    <App store={store} />
  </ActionsContext.Provider>,
  document.getElementById('page') as HTMLElement,
);

void actions.conversations.restore();
void actions.start();
