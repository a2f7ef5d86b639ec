import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  isGrowing,
  type ReplyEnd,
  type ReplyStats,
  type ReplyTurn,
  type ToolTurn,
} from '../conversation/conversation.ts';
import { Versions } from '../conversation/versions.tsx';
import { t } from '../messages/language.ts';
import { waitingFor } from '../page/health.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { CodeIcon, CopyTextIcon, EditIcon, MoreIcon, RetryIcon, TrashIcon } from '../parts/icons.tsx';
import { onEscape } from '../parts/on-escape.ts';
import { IconButton } from '../parts/parts.tsx';
import { useFocusBack } from '../parts/use-focus-back.ts';
import { useActions } from '../state/use-actions.ts';
import { useSelect } from '../state/use-select.ts';
import type { OpenCall } from '../tools/calls.ts';
import { ToolCallView } from '../tools/tool-call.tsx';
import { WINDOW_FULL } from '../window/fill.ts';
import { endNote, explainStats, formatRate, formatStats } from './figures.ts';
import { Markdown } from './markdown/markdown.tsx';
import { plainText } from './markdown/plain-text.ts';
import { type Coming, rate } from './reply.ts';
import { ReplyEditor } from './reply-editor.tsx';

interface ReplyProps {
  reply: ReplyTurn;
  name: string;
  /** True if the model can continue the reply. */
  goesOn: boolean;
  results: ToolTurn[];
  /** The calls that can be run or answered now. */
  open: OpenCall[];
  versions: string[];
  /** Draws the offers that replace “Try again” if the context window was full, with the error message. */
  onFull?: ((message: string) => JSX.Element) | undefined;
}

/**
 * A model's reply. It is drawn again while it grows, and the other turns are not. The progress stands above the text,
 * so that the growing text does not move it. The space for the figures below is there from the start.
 */
export function ReplyView(props: ReplyProps): JSX.Element {
  const { reply, name, goesOn, results, open, versions, onFull } = props;
  const { messages } = useActions();
  const coming = useSelect((state) => state.coming[reply.id]);
  const shown = coming?.reply ?? reply;
  const growing = isGrowing(shown);
  const [asWritten, setAsWritten] = useState(false);
  /** The id of the version that is being edited. */
  const [editing, setEditing] = useState<string | null>(null);
  const { part: foot, focusBack } = useFocusBack<HTMLElement>('[aria-expanded]');
  const endEdit = () => {
    setEditing(null);
    focusBack();
  };
  const thinks = growing && shown.text === '' && shown.calls.length === 0;
  return (
    <article class="turn reply" aria-busy={growing} data-turn={reply.id}>
      <header class="reply-head">
        <h2>{name}</h2>
        {coming && <Progress coming={coming} />}
        {shown.edited && <span>{t('reply.edited')}</span>}
        {growing && !coming && <span class="pulse">{t('reply.elsewhere')}</span>}
      </header>
      {shown.reasoning !== '' && (
        <details class="reasoning" open={thinks}>
          <summary>{thinks ? t('reply.thinking') : t('reply.thoughts')}</summary>
          <p dir="auto">{shown.reasoning.trim()}</p>
        </details>
      )}
      {editing === reply.id && !growing ? (
        <ReplyEditor
          text={shown.text}
          onCancel={endEdit}
          onSave={(text) => {
            messages.editReply(reply.id, text);
            endEdit();
          }}
        />
      ) : asWritten ? (
        <AsWritten text={shown.text} />
      ) : (
        <Markdown key={t.tag} text={shown.text} growing={growing} />
      )}
      {shown.calls.map((call, index) => (
        <ToolCallView
          key={call.id || index}
          call={call}
          result={results.find(({ callId }) => callId === call.id)}
          open={open.find((one) => one.call.id === call.id)}
        />
      ))}
      {shown.end?.kind === 'failed' &&
        (onFull && shown.end.code === WINDOW_FULL ? (
          <div class="failure">{onFull(shown.end.message)}</div>
        ) : (
          <Failure end={shown.end} reply={shown} goesOn={goesOn} />
        ))}
      <footer class="reply-foot" ref={foot}>
        {!growing && (
          <Ending
            reply={shown}
            goesOn={goesOn}
            versions={versions}
            asWritten={asWritten}
            onAsWritten={() => setAsWritten((before) => !before)}
            onEdit={() => setEditing(reply.id)}
            focusBack={focusBack}
          />
        )}
      </footer>
    </article>
  );
}

/** The text of the reply as the model wrote it, with the characters of Markdown. */
function AsWritten({ text }: { text: string }): JSX.Element {
  return (
    <div class="prose">
      <p class="as-written source" dir="auto">
        {text}
      </p>
    </div>
  );
}

/** The speed of a growing reply; before its first token, the progress of the prompt or what the request waits for. */
function Progress({ coming }: { coming: Coming }): JSX.Element {
  const { pieces, firstPieceMs, lastPieceMs, prompt, reply } = coming;
  const waiting = useSelect(({ health }) => waitingFor(health, reply.model, t));
  if (pieces > 0) {
    const speed = rate(pieces, firstPieceMs, lastPieceMs);
    return <span>{speed === null ? t('reply.writing') : t('reply.writingAt', { rate: formatRate(speed, t) })}</span>;
  }
  if (!prompt) return <span class="pulse">{waiting}</span>;
  return (
    <label class="prompt-progress">
      <progress value={prompt.processed} max={Math.max(1, prompt.total)} />
      <span>{t('reply.reading', { part: prompt.processed, whole: prompt.total })}</span>
    </label>
  );
}

interface EndingProps {
  reply: ReplyTurn;
  goesOn: boolean;
  versions: string[];
  asWritten: boolean;
  onAsWritten: () => void;
  onEdit: () => void;
  /** Moves the focus to the button of the menu, when the menu closes. */
  focusBack: () => void;
}

function Ending(props: EndingProps): JSX.Element {
  const { reply, goesOn, versions, asWritten, onAsWritten, onEdit, focusBack } = props;
  const { replies } = useActions();
  const note = reply.end && endNote(reply.end, t);
  return (
    <>
      <span class="reply-actions">
        {reply.text !== '' && (
          <>
            <CopyButton text={reply.text} label={t('reply.copy')} />
            <CopyButton text={() => plainText(reply.text)} label={t('reply.copyText')} icon={<CopyTextIcon />} />
            <IconButton label={t('reply.asWritten')} pressed={asWritten} onClick={onAsWritten}>
              <CodeIcon />
            </IconButton>
          </>
        )}
        <IconButton label={t('reply.retry')} onClick={() => replies.retry(reply.id)}>
          <RetryIcon />
        </IconButton>
        <Menu replyId={reply.id} onEdit={onEdit} focusBack={focusBack} />
      </span>
      <Versions id={reply.id} versions={versions} />
      {note && <strong>{note}</strong>}
      {goesOn && reply.end?.kind !== 'failed' && <GoOn replyId={reply.id} />}
      {reply.stats && <Figures id={`figures-${reply.id}`} stats={reply.stats} />}
    </>
  );
}

interface MenuProps {
  replyId: string;
  onEdit: () => void;
  focusBack: () => void;
}

/** The button with three dots and its menu. A choice or Escape closes the menu. */
function Menu({ replyId, onEdit, focusBack }: MenuProps): JSX.Element {
  const { messages } = useActions();
  const [more, setMore] = useState(false);
  const close = () => {
    setMore(false);
    focusBack();
  };
  return (
    <fieldset class="reply-menu" aria-label={t('reply.more')} onKeyDown={more ? onEscape(close) : undefined}>
      <IconButton label={t('reply.more')} expanded={more} onClick={() => setMore(!more)}>
        <MoreIcon />
      </IconButton>
      {more && (
        <>
          <IconButton
            label={t('reply.edit')}
            onClick={() => {
              setMore(false);
              onEdit();
            }}
          >
            <EditIcon />
          </IconButton>
          <IconButton
            label={t('reply.delete')}
            onClick={() => {
              close();
              messages.remove(replyId);
            }}
          >
            <TrashIcon />
          </IconButton>
        </>
      )}
    </fieldset>
  );
}

/** The figures of a reply. A click shows more of them. */
function Figures({ id, stats }: { id: string; stats: ReplyStats }): JSX.Element {
  return (
    <>
      <button type="button" class="link quiet" popovertarget={id}>
        {formatStats(stats, t)}
      </button>
      <span id={id} popover="auto" class="why">
        {explainStats(stats, t).join(t('common.between'))}
      </span>
    </>
  );
}

function GoOn({ replyId }: { replyId: string }): JSX.Element {
  const { replies } = useActions();
  return (
    <button type="button" class="link" onClick={() => replies.goOn(replyId)}>
      {t('key.continue')}
    </button>
  );
}

interface FailureProps {
  end: Extract<ReplyEnd, { kind: 'failed' }>;
  reply: ReplyTurn;
  goesOn: boolean;
}

function Failure({ end, reply, goesOn }: FailureProps): JSX.Element {
  const { replies } = useActions();
  return (
    <div class="failure">
      <p lang={end.code === null ? undefined : 'en'}>{end.message}</p>
      {goesOn && <GoOn replyId={reply.id} />}
      <button type="button" class="button" onClick={() => replies.retry(reply.id)}>
        {t('common.tryAgain')}
      </button>
    </div>
  );
}
