import { askServerState, keepHomeServer, readHomeServer } from '../api/home-server.ts';
import { hostOf } from '../data/home-server.ts';
import type { Ground } from '../data/state.ts';
import { type Context, tell } from './context.ts';

/** The interval at which the page looks whether the server answers, in ms. */
const LOOK_EVERY_MS = 5000;

export interface HomeActions {
  /** Has a Paddock server answer in place of this browser while it can. */
  use(server: { url: string; key: string | null }): Promise<void>;
  /** Has this browser answer always. */
  forget(): Promise<void>;
}

export interface HomeWatch {
  /** Says who answers now, and follows it from now on. For pages that a service worker answers. */
  begin(): Promise<Ground>;
  /** Looks now. */
  look(): Promise<void>;
}

/** `onSwitch` is called when another one answers. */
export function homeActions(context: Context, onSwitch: () => Promise<void>): HomeActions & HomeWatch {
  const { store } = context;
  let looking: ReturnType<typeof setInterval> | null = null;

  const ground = (): Ground => (store.get().home?.state === 'answers' ? 'server' : 'browser');
  const find = async () => {
    const server = await readHomeServer();
    const state = server && (await askServerState());
    store.dispatch({ kind: 'home', home: server && state && { server, state } });
  };
  const look = async () => {
    const { home: before, startup } = store.get();
    await find().catch(() => {});
    const { home } = store.get();
    if (startup.kind !== 'ready' || (home?.state === before?.state && home?.server.url === before?.server.url)) return;
    const was = startup.ground;
    store.dispatch({ kind: 'startup', startup: { kind: 'ready', ground: ground() } });
    await onSwitch();
    if (!home || was === ground()) return;
    const host = hostOf(home.server);
    tell(
      context,
      was === 'browser' ? `${host} answers from now on.` : `${host} does not answer. This browser goes on by itself.`,
    );
  };
  const watch = () => {
    if (looking) clearInterval(looking);
    looking = store.get().home
      ? setInterval(() => {
          if (document.visibilityState === 'visible') void look();
        }, LOOK_EVERY_MS)
      : null;
  };
  const set = async (server: { url: string; key: string | null } | null) => {
    await keepHomeServer(server);
    await look();
    watch();
  };

  return {
    begin: async () => {
      await find().catch(() => {});
      watch();
      return ground();
    },
    look: async () => {
      if (looking) await look();
    },
    use: set,
    forget: () => set(null),
  };
}
