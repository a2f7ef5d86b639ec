import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { explainState, type Home, hostOf, readServerAddress } from '../data/home-server.ts';
import type { Ground } from '../data/state.ts';
import { useActions } from './actions.ts';

interface HomeServerChoiceProps {
  home: Home | null;
  ground: Ground | null;
}

/** Chooses a Paddock server whose models are used while it answers, or what answers while the page's own server does not. */
export function HomeServerChoice({ home, ground }: HomeServerChoiceProps): JSX.Element | null {
  if (home?.server.url === `${location.origin}/`) return <EngineKept home={home} />;
  if (!home && ground === 'server') return canKeepEngine() ? <KeepEngine /> : null;
  return (
    <details class="home-server" open={home !== null}>
      <summary>Use a Paddock server</summary>
      {home ? <InUse home={home} /> : <Form />}
    </details>
  );
}

/** Service workers and storage are needed. Pages over plain http have neither. */
function canKeepEngine(): boolean {
  return isSecureContext && 'serviceWorker' in navigator;
}

function KeepEngine(): JSX.Element {
  const actions = useActions();
  const [asked, setAsked] = useState(false);
  return (
    <details class="home-server">
      <summary>When the server is away</summary>
      <p class="muted">
        This browser can answer then, with an engine and a small model of its own. They are fetched once, and stay here.
        Below the message you see how much it is.
      </p>
      <button
        type="button"
        class="button"
        disabled={asked}
        onClick={() => {
          setAsked(true);
          void actions.home.keepEngine().finally(() => setAsked(false));
        }}
      >
        {asked ? 'Fetching…' : 'Keep an engine here'}
      </button>
    </details>
  );
}

function EngineKept({ home }: { home: Home }): JSX.Element {
  const actions = useActions();
  return (
    <details class="home-server" open>
      <summary>When the server is away</summary>
      <p class="muted" role="status">
        {home.state === 'answers'
          ? 'This browser has an engine of its own, and answers while the server does not.'
          : 'The server does not answer. This browser does, with its own models.'}
      </p>
      {home.state === 'answers' && (
        <button type="button" class="button" onClick={() => void actions.home.dropEngine()}>
          Use the server alone
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
        {home.state === 'answers' ? `${host} answers. These are its models.` : explainState(home, location.origin)}
      </p>
      <button type="button" class="button" onClick={() => void actions.home.forget()}>
        Use this browser alone
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
      setProblem((error as Error).message);
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
      <p class="muted">Its models are used while it answers. When it does not, this browser goes on with its own.</p>
      <label class="field">
        <span>Address of the server</span>
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
        <span>Key, if it wants one</span>
        <input
          type="password"
          autocomplete="off"
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <small class="muted">It is kept in this browser.</small>
      </label>
      <div class="row end">
        <button type="submit" class="button primary">
          Use it
        </button>
      </div>
    </form>
  );
}
