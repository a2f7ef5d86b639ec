import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { Dialog } from '../parts/parts.tsx';
import { useActions } from '../state/use-actions.ts';

/** Asks for an API key if the server wants one. */
export function KeyDialog({ message, onClose }: { message: string | null; onClose: () => void }): JSX.Element {
  const actions = useActions();
  const [key, setKey] = useState('');
  return (
    <Dialog title={t('key.title')} open={message !== null} onClose={onClose}>
      <form
        class="key-form"
        onSubmit={(event) => {
          event.preventDefault();
          void actions.giveKey(key.trim());
        }}
      >
        <p>{t('key.why')}</p>
        <label class="field">
          <span>{t('key.field')}</span>
          <input
            type="password"
            autocomplete="off"
            value={key}
            required
            aria-describedby="key-problem"
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
          />
          <small id="key-problem" class="problem">
            {message}
          </small>
        </label>
        <div class="row end">
          <button type="submit" class="button primary">
            {t('key.continue')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
