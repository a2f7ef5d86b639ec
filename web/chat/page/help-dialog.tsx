import type { JSX } from 'preact';
import type { Enter } from '../composer/enter.ts';
import { useEnter } from '../composer/use-enter.ts';
import '../messages/later.ts';
import { t } from '../messages/language.ts';
import type { MessageKey } from '../messages/translate.ts';
import { Dialog } from '../parts/parts.tsx';
import { isApplePlatform, type ListedShortcut, listShortcuts } from './shortcuts.ts';

interface HelpDialogProps {
  open: boolean;
  onClose: () => void;
  onPrompts: () => void;
}

const MEANINGS: [Enter, MessageKey][] = [
  ['send', 'help.sends'],
  ['newline', 'help.newLine'],
];

/** The help: the effect of the Enter key, a link to the saved prompts, and all keyboard shortcuts. */
export function HelpDialog({ open, onClose, onPrompts }: HelpDialogProps): JSX.Element {
  const isApple = isApplePlatform(navigator.platform);
  return (
    <Dialog title={t('page.help')} open={open} onClose={onClose}>
      <div class="help">
        <EnterChoice isApple={isApple} />
        <div class="row spread">
          <p class="muted">{t('help.promptHint')}</p>
          <button type="button" class="button" onClick={onPrompts}>
            {t('prompts.title')}
          </button>
        </div>
        <dl class="shortcuts">
          {listShortcuts(isApple).map((one) => (
            <ShortcutRow key={one.label} shortcut={one} />
          ))}
        </dl>
        <a class="muted" href="./licences.txt" target="_blank" rel="noopener">
          {t('help.licences')}
        </a>
      </div>
    </Dialog>
  );
}

function EnterChoice({ isApple }: { isApple: boolean }): JSX.Element {
  const [enter, choose] = useEnter();
  return (
    <fieldset class="field">
      <legend>{t('help.enterKey')}</legend>
      <div class="segments">
        {MEANINGS.map(([meaning, label]) => (
          <label key={meaning}>
            <input type="radio" name="enter" checked={meaning === enter} onChange={() => choose(meaning)} />
            <span>{t(label)}</span>
          </label>
        ))}
      </div>
      <small class="muted">{t('help.always', { key: isApple ? '⌘' : 'Ctrl' })}</small>
    </fieldset>
  );
}

function ShortcutRow({ shortcut: { label, keys } }: { shortcut: ListedShortcut }): JSX.Element {
  return (
    <div>
      <dt>{t(label)}</dt>
      <dd>
        {keys.map((one, index) => (
          <span key={one.join()}>
            {index > 0 && t('help.or')}
            {one.map((key, place) => (
              <span key={key}>
                {place > 0 && ' '}
                <kbd>{key}</kbd>
              </span>
            ))}
          </span>
        ))}
      </dd>
    </div>
  );
}
