import { leaveBrowser, startHere } from '../api/ground.ts';
import { t } from '../messages/language.ts';
import { type Context, messageOf, tell } from '../state/context.ts';
import type { Ground } from '../state/state.ts';
import { type Home, hostOf } from './home-server.ts';
import { askServerState, keepHomeServer, readHomeServer } from './home-server-storage.ts';

/** The interval at which the page looks whether the server answers, in ms. */
const LOOK_EVERY_MS = 5000;

export interface HomeActions {
  /** Has a Paddock server answer in place of this browser while it can. */
  use(server: { url: string; key: string | null }): Promise<void>;
  /** Has this browser answer always. */
  forget(): Promise<void>;
  /** Keeps an engine in this browser for the times when the server of this page does not answer. */
  keepEngine(): Promise<void>;
  /** The same no more: the server of this page answers, or nobody. */
  dropEngine(): Promise<void>;
}

export interface HomeWatch {
  /** Says who answers now, and follows it from now on. For pages that a service worker answers. */
  begin(): Promise<Ground>;
  /** Looks now. */
  look(): Promise<void>;
  /** Follows whether the page's own server answers. For pages that no service worker answers. */
  followServer(): void;
}

/** `onSwitch` is called when another one answers. */
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
    // A message that is sent from now on is for a model of the one who answers now.
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
  /** Does this again and again while the page is seen. */
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
    // One that looks already may not know of the change.
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
        // A reply that grows shows that the server answers, and nothing around it should move.
        if (Object.keys(coming).length > 0) return;
        await refreshHealth();
        if (!before && store.get().health) await onSwitch();
      }),
    use: set,
    forget: () => set(null),
    keepEngine: async () => {
      const before = store.get().startup;
      try {
        await keepHomeServer({ url: `${location.origin}/`, key: null });
        await startHere((progress) => store.dispatch({ kind: 'startup', startup: { kind: 'fetching', ...progress } }));
        location.reload();
      } catch (error) {
        await keepHomeServer(null).catch(() => {});
        store.dispatch({ kind: 'startup', startup: before });
        tell(context, messageOf(error), 'bad');
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
