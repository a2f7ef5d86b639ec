import { leaveBrowser, startHere } from '../api/ground.ts';
import { t } from '../messages/language.ts';
import { type Context, localizedMessageOf, tell } from '../state/context-actions.ts';
import type { Ground } from '../state/state.ts';
import { type Home, hostOf } from './home-server.ts';
import { askServerState, keepHomeServer, readHomeServer } from './home-server-storage.ts';

/** The interval at which the page checks if the server answers, in ms. */
const LOOK_EVERY_MS = 5000;

/** Actions for a Paddock server that answers in place of this browser. */
export interface HomeActions extends EngineActions {
  /** Has this server answer whenever it can. */
  use(server: { url: string; key: string | null }): Promise<void>;
  /** Has this browser answer every request. */
  forget(): Promise<void>;
}

/** Actions for an engine in this browser, which answers while the server of the page does not. */
export interface EngineActions {
  /** Installs the engine, then reloads the page. */
  keepEngine(): Promise<void>;
  /** Removes the engine, then reloads the page. */
  dropEngine(): Promise<void>;
}

export interface HomeWatch {
  /** Returns who answers requests now, and watches for a change. For pages with a service worker. */
  begin(): Promise<Ground>;
  /** Checks now, if a change is watched for. */
  look(): Promise<void>;
  /** Watches whether the page's own server answers. For pages without a service worker. */
  followServer(): void;
}

/** `onSwitch` is called when a server answers in place of this browser, or the other way round. */
export function homeActions(
  context: Context,
  onSwitch: () => Promise<void>,
  refreshHealth: () => Promise<void>,
): HomeActions & HomeWatch {
  const { store } = context;
  let timer: ReturnType<typeof setInterval> | null = null;
  let looking: Promise<void> | null = null;

  const find = async (): Promise<Home | null> => {
    const server = await readHomeServer();
    const state = server && (await askServerState());
    return server && state && { server, state };
  };
  const show = (home: Home | null) => {
    const { startup } = store.get();
    store.dispatch({ kind: 'home', home });
    if (startup.kind === 'ready') {
      store.dispatch({ kind: 'startup', startup: { kind: 'ready', ground: groundOf(home) } });
    }
  };
  const lookOnce = async () => {
    const { home: before, startup } = store.get();
    const home = await find().catch(() => before);
    if (startup.kind !== 'ready' || (home?.state === before?.state && home?.server.url === before?.server.url)) return;
    // The models are fetched first, so that the next message goes to a model of whichever answers now, server or
    // browser.
    await onSwitch();
    show(home);
    if (!home || startup.ground === groundOf(home)) return;
    const host = hostOf(home.server);
    const gone = t('home.goneNow', { host });
    tell(context, startup.ground === 'browser' ? t('home.answersNow', { host }) : gone);
  };
  const look = (): Promise<void> => {
    looking ??= lookOnce().finally(() => {
      looking = null;
    });
    return looking;
  };
  /** Repeats the work while the page is visible. Null ends it. */
  const repeat = (work: (() => Promise<void>) | null) => {
    if (timer) clearInterval(timer);
    const once = () => {
      if (document.visibilityState === 'visible') void work?.();
    };
    timer = work && setInterval(once, LOOK_EVERY_MS);
  };
  const watch = () => repeat(store.get().home ? look : null);
  const set = async (server: { url: string; key: string | null } | null) => {
    await keepHomeServer(server);
    // A check that runs already may have read the old server.
    await looking;
    await look();
    watch();
  };

  return {
    begin: async () => {
      show(await find().catch(() => null));
      watch();
      return groundOf(store.get().home);
    },
    look: async () => {
      if (timer) await look();
    },
    followServer: () =>
      repeat(async () => {
        const { health: before, coming } = store.get();
        // A growing reply shows that the server answers, and its layout should not move.
        if (Object.keys(coming).length > 0) return;
        await refreshHealth();
        if (!before && store.get().health) await onSwitch();
      }),
    use: set,
    forget: () => set(null),
    ...engineActions(context),
  };
}

function engineActions(context: Context): EngineActions {
  const { store } = context;
  return {
    keepEngine: async () => {
      const before = store.get().startup;
      try {
        await keepHomeServer({ url: `${location.origin}/`, key: null });
        await startHere((progress) => store.dispatch({ kind: 'startup', startup: { kind: 'fetching', ...progress } }));
        location.reload();
      } catch (error) {
        await keepHomeServer(null).catch(() => {});
        store.dispatch({ kind: 'startup', startup: before });
        tell(context, localizedMessageOf(error), 'bad');
      }
    },
    dropEngine: async () => {
      await keepHomeServer(null);
      await leaveBrowser();
      location.reload();
    },
  };
}

function groundOf(home: Home | null): Ground {
  return home?.state === 'answers' ? 'server' : 'browser';
}
