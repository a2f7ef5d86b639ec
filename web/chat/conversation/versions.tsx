import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { BackIcon, ForwardIcon } from '../parts/icons.tsx';
import { useActions } from '../state/use-actions.ts';

interface VersionsProps {
  /** The id of the message that is shown. */
  id: string;
  /** The ids of all versions of the message, itself included. */
  versions: string[];
}

/**
 * Shows the number of this version, with buttons for the previous and the next one. Draws nothing if there is only one
 * version.
 */
export function Versions({ id, versions }: VersionsProps): JSX.Element | null {
  if (versions.length < 2) return null;
  const index = versions.indexOf(id);
  return (
    <fieldset class="versions" aria-label={t('message.versions')}>
      <Step to={versions[index - 1]} label={t('message.versionBefore')}>
        <BackIcon />
      </Step>
      <span role="status">
        <span class="hidden">{t('message.version', { number: index + 1, count: versions.length })}</span>
        <span aria-hidden="true">
          {index + 1}/{versions.length}
        </span>
      </span>
      <Step to={versions[index + 1]} label={t('message.versionNext')}>
        <ForwardIcon />
      </Step>
    </fieldset>
  );
}

/** A button for another version. At either end it stays focusable, so that the keyboard focus is not lost. */
function Step({ to, label, children }: { to: string | undefined; label: string; children: JSX.Element }): JSX.Element {
  const { conversations } = useActions();
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-disabled={to === undefined}
      onClick={() => to !== undefined && conversations.showVersion(to)}
    >
      {children}
    </button>
  );
}
