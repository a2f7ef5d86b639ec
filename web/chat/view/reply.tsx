import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ToolCallObject } from '../../../src/core/api/chat/tool-call.ts';
import { isGrowing, type ReplyStats, type ReplyTurn, type ToolTurn } from '../data/conversation.ts';
import { endNote, explainStats, formatRate, formatStats } from '../data/figures.ts';
import { type Coming, rate } from '../data/reply.ts';
import { useActions } from './actions.ts';
import { CopyButton } from './copy-button.tsx';
import { CodeIcon, CopyTextIcon, RetryIcon } from './icons.tsx';
import { Markdown } from './markdown/markdown.tsx';
import { plainText } from './markdown/plain-text.ts';
import { IconButton } from './parts.tsx';
import { ToolCall } from './tool-call.tsx';
import { Versions } from './versions.tsx';

interface ReplyProps {
  reply: ReplyTurn;
  name: string;
  /** Set while the reply is growing. */
  coming: Coming | undefined;
  /** Says what the reply waits for before it begins. */
  waiting: string;
  results: ToolTurn[];
  /** The calls that can be answered now. */
  open: ToolCallObject[];
  versions: string[];
}

/**
 * The model's reply. Its progress stands above it, so that the growing text does not move it. The room for its figures
 * below is kept from the beginning.
 */
export function Reply({ reply, name, coming, waiting, results, open, versions }: ReplyProps): JSX.Element {
  const shown = coming?.reply ?? reply;
  const growing = isGrowing(shown);
  const [asWritten, setAsWritten] = useState(false);
  const thinks = growing && shown.text === '' && shown.calls.length === 0;
  return (
    <article class="turn reply" aria-busy={growing}>
      <header class="reply-head">
        <h2>{name}</h2>
        {coming && <Progress coming={coming} waiting={waiting} />}
        {growing && !coming && <span class="pulse">Being written in another tab…</span>}
      </header>
      {shown.reasoning !== '' && (
        <details class="reasoning" open={thinks}>
          <summary>{thinks ? 'Thinking…' : 'Thoughts'}</summary>
          <p dir="auto">{shown.reasoning.trim()}</p>
        </details>
      )}
      {asWritten ? <AsWritten text={shown.text} /> : <Markdown text={shown.text} growing={growing} />}
      {shown.calls.map((call, index) => (
        <ToolCall
          key={call.id || index}
          call={call}
          result={results.find(({ callId }) => callId === call.id)}
          answerable={open.some(({ id }) => id === call.id)}
        />
      ))}
      {shown.end?.kind === 'failed' && <Failure message={shown.end.message} replyId={reply.id} />}
      <footer class="reply-foot">
        {!growing && (
          <Ending
            reply={shown}
            versions={versions}
            asWritten={asWritten}
            onAsWritten={() => setAsWritten((before) => !before)}
          />
        )}
      </footer>
    </article>
  );
}

/** The reply's own characters, with all marks of Markdown. */
function AsWritten({ text }: { text: string }): JSX.Element {
  return (
    <div class="prose">
      <p class="as-written source" dir="auto">
        {text}
      </p>
    </div>
  );
}

function Progress({ coming, waiting }: { coming: Coming; waiting: string }): JSX.Element {
  const { pieces, firstPieceMs, lastPieceMs, prompt } = coming;
  if (pieces > 0) {
    const speed = rate(pieces, firstPieceMs, lastPieceMs);
    return <span>{speed === null ? 'Writing…' : `Writing · ${formatRate(speed)}`}</span>;
  }
  if (!prompt) return <span class="pulse">{waiting}</span>;
  return (
    <label class="prompt-progress">
      <progress value={prompt.processed} max={Math.max(1, prompt.total)} />
      <span>
        Reading {prompt.processed.toLocaleString('en')} of {prompt.total.toLocaleString('en')} tokens
      </span>
    </label>
  );
}

interface EndingProps {
  reply: ReplyTurn;
  versions: string[];
  asWritten: boolean;
  onAsWritten: () => void;
}

function Ending({ reply, versions, asWritten, onAsWritten }: EndingProps): JSX.Element {
  const { replies } = useActions();
  const note = reply.end && endNote(reply.end);
  return (
    <>
      <span class="reply-actions">
        {reply.text !== '' && (
          <>
            <CopyButton text={reply.text} label="Copy the reply" />
            <CopyButton text={() => plainText(reply.text)} label="Copy as plain text" icon={<CopyTextIcon />} />
            <IconButton label="Show as written" pressed={asWritten} onClick={onAsWritten}>
              <CodeIcon />
            </IconButton>
          </>
        )}
        <IconButton label="Retry" onClick={() => replies.retry(reply.id)}>
          <RetryIcon />
        </IconButton>
      </span>
      <Versions id={reply.id} versions={versions} />
      {note && <strong>{note}</strong>}
      {reply.stats && <Figures id={`figures-${reply.id}`} stats={reply.stats} />}
    </>
  );
}

/** The figures of a reply, and more of them at a click. */
function Figures({ id, stats }: { id: string; stats: ReplyStats }): JSX.Element {
  return (
    <>
      <button type="button" class="link quiet" popovertarget={id}>
        {formatStats(stats)}
      </button>
      <span id={id} popover="auto" class="why">
        {explainStats(stats).join(' ')}
      </span>
    </>
  );
}

function Failure({ message, replyId }: { message: string; replyId: string }): JSX.Element {
  const { replies } = useActions();
  return (
    <div class="failure">
      <p>{message}</p>
      <button type="button" class="button" onClick={() => replies.retry(replyId)}>
        Try again
      </button>
    </div>
  );
}
