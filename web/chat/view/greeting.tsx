import type { JSX } from 'preact';
import type { ListedModel } from '../data/model.ts';
import type { Ground } from '../data/state.ts';

interface GreetingProps {
  model: ListedModel | undefined;
  ground: Ground | null;
  /** False if this browser keeps nothing for the page. */
  kept: boolean;
}

export const NOT_KEPT =
  'This browser keeps nothing for this page. Your chats last until you close it: export those that are dear to you.';

/** The content of an empty conversation. */
export function Greeting({ model, ground, kept }: GreetingProps): JSX.Element {
  return (
    <div class="greeting">
      <h2>{model ? `Talk to ${model.name}` : 'Hello'}</h2>
      {model?.description && <p>{model.description}</p>}
      <p class="muted">{whereItGoes(ground)}</p>
      {!kept && (
        <p class="muted" role="status">
          {NOT_KEPT}
        </p>
      )}
    </div>
  );
}

function whereItGoes(ground: Ground | null): string {
  if (ground === 'browser') return 'What you say stays in this browser.';
  const local = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);
  return local ? 'What you say stays on this machine.' : `What you say goes to ${location.hostname}, and nowhere else.`;
}
