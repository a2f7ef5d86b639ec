import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { problemText } from '../messages/problem.ts';
import type { Ground } from '../state/state.ts';
import { useActions } from '../state/use-actions.ts';
import { explainState, type Home, hostOf, readServerAddress } from './home-server.ts';

interface HomeServerChoiceProps {
  home: Home | null;
  ground: Ground | null;
}

/**
 * Chooses a Paddock server that answers in place of this browser. On a server's own page, chooses to keep an engine for
 * the times when that server does not answer.
 */
export function HomeServerChoice({ home, ground }: HomeServerChoiceProps): JSX.Element | null {
  if (home?.server.url === `${location.origin}/`) return <EngineKept home={home} />;
  if (!home && ground === 'server') return canKeepEngine() ? <KeepEngine /> : null;
  return (
    <details class="home-server" open={home !== null}>
      <summary>{t('home.title')}</summary>
      {home ? <InUse home={home} /> : <Form />}
    </details>
  );
}

/** True if this page can have a service worker and storage. Pages over plain http have neither. */
function canKeepEngine(): boolean {
  return isSecureContext && 'serviceWorker' in navigator;
}

function KeepEngine(): JSX.Element {
  const actions = useActions();
  const [asked, setAsked] = useState(false);
  return (
    <details class="home-server">
      <summary>{t('home.away')}</summary>
      <p class="muted">{t('home.canKeep')}</p>
      <button
        type="button"
        class="button"
        disabled={asked}
        onClick={() => {
          setAsked(true);
          void actions.home.keepEngine().finally(() => setAsked(false));
        }}
      >
        {asked ? t('home.fetching') : t('home.keep')}
      </button>
    </details>
  );
}

function EngineKept({ home }: { home: Home }): JSX.Element {
  const actions = useActions();
  return (
    <details class="home-server" open>
      <summary>{t('home.away')}</summary>
      <p class="muted" role="status">
        {home.state === 'answers' ? t('home.hasEngine') : t('home.answersHere')}
      </p>
      {home.state === 'answers' && (
        <button type="button" class="button" onClick={() => void actions.home.dropEngine()}>
          {t('home.serverAlone')}
        </button>
      )}
    </details>
  );
}

function InUse({ home }: { home: Home }): JSX.Element {
  const actions = useActions();
  const host = hostOf(home.server);
  return (
    <>
      <p class={home.state === 'answers' ? 'muted' : 'problem'} role="status">
        {home.state === 'answers' ? t('home.inUse', { host }) : explainState(home, location.origin, t)}
      </p>
      <button type="button" class="button" onClick={() => void actions.home.forget()}>
        {t('home.browserAlone')}
      </button>
    </>
  );
}

function Form(): JSX.Element {
  const actions = useActions();
  const [address, setAddress] = useState('');
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState('');
  const use = async () => {
    try {
      await actions.home.use({ url: readServerAddress(address, location.href), key: key.trim() || null });
    } catch (error) {
      setProblem(problemText(error, t));
    }
  };
  return (
    <form
      class="home-server-form"
      onSubmit={(event) => {
        event.preventDefault();
        void use();
      }}
    >
      <p class="muted">{t('home.hint')}</p>
      <label class="field">
        <span>{t('home.address')}</span>
        <input
          value={address}
          placeholder="https://paddock.example"
          inputMode="url"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          required
          aria-describedby="home-server-problem"
          onInput={({ currentTarget }) => setAddress(currentTarget.value)}
        />
        <small id="home-server-problem" class="problem" role="alert">
          {problem}
        </small>
      </label>
      <label class="field">
        <span>{t('home.key')}</span>
        <input
          type="password"
          autocomplete="off"
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <small class="muted">{t('home.keyKept')}</small>
      </label>
      <div class="row end">
        <button type="submit" class="button primary">
          {t('home.use')}
        </button>
      </div>
    </form>
  );
}
