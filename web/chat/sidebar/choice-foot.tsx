import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Summary } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import { useActions } from '../state/use-actions.ts';
import { MoveTo } from './move-to.tsx';

interface ChoiceFootProps {
  summaries: Summary[];
  /** The names of all folders. */
  folders: string[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  onDone: () => void;
}

/** Replaces the foot of the sidebar while conversations are chosen. */
export function ChoiceFoot({ summaries, folders: names, chosen, onChange, onDone }: ChoiceFootProps): JSX.Element {
  const { conversations, folders } = useActions();
  const [moving, setMoving] = useState(false);
  const all = summaries.filter(({ id }) => chosen.has(id));
  const ids = all.map(({ id }) => id);
  const [current = '', ...others] = new Set(all.map(({ folder }) => folder));
  const isAll = ids.length === summaries.length;
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <footer class="sidebar-foot">
      <div class="row">
        <button
          type="button"
          class="button quiet"
          ref={first}
          onClick={() => onChange(isAll ? new Set() : new Set(summaries.map(({ id }) => id)))}
        >
          {isAll ? t('chats.chooseNone') : t('chats.chooseAll')}
        </button>
        <button type="button" class="button quiet" onClick={onDone}>
          {t('common.cancel')}
        </button>
      </div>
      {moving && ids.length > 0 && (
        <MoveTo
          folders={names}
          current={others.length === 0 ? current : ''}
          canLeave={all.some(({ folder }) => folder !== '')}
          onMove={(name) => {
            folders.move(ids, name);
            onDone();
          }}
        />
      )}
      <div class="row">
        <button
          type="button"
          class="button"
          disabled={ids.length === 0}
          aria-expanded={moving && ids.length > 0}
          onClick={() => setMoving(!moving)}
        >
          {t('folders.move')}
        </button>
        <button
          type="button"
          class="button primary"
          disabled={ids.length === 0}
          onClick={() => {
            conversations.remove(ids);
            onDone();
          }}
        >
          {t('chats.deleteChosen', { count: ids.length })}
        </button>
      </div>
    </footer>
  );
}
