import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Conversation, isGrowing } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import type { State } from '../state/state.ts';
import { type Fill, WINDOW_FULL } from './fill.ts';
import { useFill } from './use-fill.ts';
import { WindowOffer } from './window-offer.tsx';

/** The two places in which a gauge shows. Each is null while there is nothing to say. */
interface WindowGauge {
  /** A small button that tells how full the window is. */
  sign: JSX.Element | null;
  /** What can be done about it. */
  panel: JSX.Element | null;
}

/**
 * Says how full the context window is, from half of it on. When a reply may lack room, the panel opens by itself, once;
 * later at a click. `written` is the message that is being written.
 */
export function useWindowGauge(state: State, conversation: Conversation, written: string): WindowGauge {
  const fill = useFill(state, conversation, written);
  const isFull = fill?.level === 'full';
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(isFull), [isFull, conversation.id]);
  const summarising = state.summarising[conversation.id] !== undefined;
  const last = conversation.turns.at(-1);
  // A reply that failed for it offers the same.
  const isRefused = last?.role === 'assistant' && last.end?.kind === 'failed' && last.end.code === WINDOW_FULL;
  if (!fill || isRefused || conversation.turns.some(isGrowing)) return { sign: null, panel: null };
  const close = () => setOpen(false);
  return {
    sign: fill.level === 'quiet' ? null : <Sign fill={fill} open={open} onToggle={() => setOpen(!open)} />,
    panel:
      (open && fill.level !== 'quiet') || summarising ? (
        <section class="window-panel" aria-label={t('window.title')}>
          <WindowOffer state={state} conversation={conversation} onRoom={close} onClose={close}>
            {fillText(fill)}
          </WindowOffer>
        </section>
      ) : null,
  };
}

function Sign({ fill, open, onToggle }: { fill: Fill; open: boolean; onToggle: () => void }): JSX.Element {
  const { used, window, level } = fill;
  return (
    <>
      <button type="button" class="window-sign link quiet" aria-expanded={open} onClick={onToggle}>
        <progress class={level} value={Math.min(used, window)} max={window} aria-hidden="true" />
        <span class="hidden">{t('window.context')}</span>
        {t('common.percent', { share: Math.min(100, Math.round((used / window) * 100)) })}
        <span class="hidden">{t('window.full')}</span>
      </button>
      <span class="hidden" role="status">
        {level === 'full' && fillText(fill)}
      </span>
    </>
  );
}

function fillText({ used, window, reserve, level }: Fill): string {
  return t(level === 'full' ? 'window.takesAndMore' : 'window.takes', { used, window, reserve });
}
