import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isGrowing, type ShownConversation } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import { useSelect } from '../state/use-select.ts';
import { type Fill, WINDOW_FULL } from './fill.ts';
import { useFill } from './use-fill.ts';
import { WindowOffer } from './window-offer.tsx';

/** The two elements of the gauge, which stand in two places. Each is null while it is not shown. */
interface WindowGauge {
  /** A small button that shows how full the window is, in percent. */
  sign: JSX.Element | null;
  /** Offers ways to make room. */
  panel: JSX.Element | null;
}

/**
 * Returns elements that show how full the context window of the current conversation is, once it is half full. When the
 * next reply may not fit, the panel opens by itself, once; later it opens on a click. `written` is the text of the
 * draft.
 */
export function useWindowGauge(conversation: ShownConversation, written: string): WindowGauge {
  const fill = useFill(conversation, written);
  const isFull = fill?.level === 'full';
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(isFull), [isFull, conversation.id]);
  const summarising = useSelect((state) => state.summarising[conversation.id] !== undefined);
  const last = conversation.turns.at(-1);
  // A reply that failed because the window is full makes the same offers itself.
  const isRefused = last?.role === 'assistant' && last.end?.kind === 'failed' && last.end.code === WINDOW_FULL;
  if (!fill || isRefused || conversation.turns.some(isGrowing)) return { sign: null, panel: null };
  const close = () => setOpen(false);
  return {
    sign: fill.level === 'quiet' ? null : <Sign fill={fill} open={open} onToggle={() => setOpen(!open)} />,
    panel:
      (open && fill.level !== 'quiet') || summarising ? (
        <section class="window-panel" aria-label={t('window.title')}>
          <WindowOffer conversation={conversation} onRoom={close} onClose={close}>
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
