import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { explainState, type Home, hostOf, readServerAddress } from '../data/home-server.ts';
import { useActions } from './actions.ts';

/** Chooses a Paddock server whose models are used while it answers. For pages of a static site. */
export function HomeServerChoice({ home }: { home: Home | null }): JSX.Element {
  return (
    <details class="home-server" open={home !== null}>
      <summary>Use a Paddock server</summary>
      {home ? <InUse home={home} /> : <Form />}
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
