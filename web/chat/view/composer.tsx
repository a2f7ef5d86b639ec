import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Attachment, inWords, kindsOf, meansFiles, unfit, withMore } from '../data/attachments.ts';
import type { Draft } from '../data/draft.ts';
import type { ListedModel } from '../data/model.ts';
import { useActions } from './actions.ts';
import { readFiles } from './attach.ts';
import { AttachButton, Attachments, DropZone } from './attachments.tsx';
import { SendIcon, StopIcon } from './icons.tsx';
import { IconButton } from './parts.tsx';
import { useFileDrop } from './use-file-drop.ts';

interface ComposerProps {
  conversationId: string;
  /** What is written in this conversation and not sent yet. */
  draft: Draft;
  /** The models; null until Paddock has told them. What is sent before that waits. */
  models: ListedModel[] | null;
  /** The model that gets the message. */
  model: ListedModel | undefined;
  replying: boolean;
}

/** The form for a message. Enter sends it, Shift+Enter begins a new line. */
export function Composer({ conversationId, draft: written, models, model, replying }: ComposerProps): JSX.Element {
  const { replies, drafts } = useActions();
  const text = written.text.value;
  const setText = (next: string) => drafts.write({ text: next });
  const draft = useAttachments(conversationId, written.attachments.value, models !== null, model);
  const dragging = useFileDrop(draft.attach);
  const area = useRef<HTMLTextAreaElement>(null);
  const { attachments } = draft;
  const kinds = kindsOf(model);
  const fit = !draft.reading && draft.misfit === null;
  const sendable = !replying && fit && (text.trim() !== '' || attachments.length > 0);

  // After a change of conversation, the person can type at once.
  useLayoutEffect(() => area.current?.focus(), [conversationId]);

  const send = () => {
    if (!sendable) return;
    drafts.clear(replies.send(text.trim(), attachments));
    draft.clear();
    area.current?.focus();
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {dragging && <DropZone kinds={kinds} model={model} />}
      {attachments.length > 0 && (
        <Attachments
          attachments={attachments}
          onRemove={(one) => {
            draft.remove(one);
            area.current?.focus();
          }}
        />
      )}
      <p class="hidden" role="status">
        {inWords(attachments)}
      </p>
      <Problems problems={draft.misfit ? [...draft.problems, draft.misfit] : draft.problems} />
      <div class="composer-row">
        {kinds.length > 0 && <AttachButton kinds={kinds} onPick={draft.attach} />}
        <textarea
          ref={area}
          id="message"
          rows={1}
          value={text}
          placeholder="Message"
          aria-label="Message"
          dir="auto"
          enterkeyhint="send"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
          onPaste={(event) => {
            const { files, types } = event.clipboardData ?? {};
            if (!files || !types || !meansFiles(types)) return;
            event.preventDefault();
            draft.attach(Array.from(files));
          }}
        />
        {replying ? (
          <IconButton label="Stop" class="primary" onClick={() => replies.stop()}>
            <StopIcon />
          </IconButton>
        ) : (
          <button type="submit" class="icon-button primary" aria-label="Send" title="Send" disabled={!sendable}>
            <SendIcon />
          </button>
        )}
      </div>
    </form>
  );
}

/** The attachments of the message that is being written. */
interface Attached {
  attachments: Attachment[];
  /** The reasons for people why files were refused. */
  problems: string[];
  /** The reason for people why the model can't take the attachments; null if it can. */
  misfit: string | null;
  /** True while files are being read. */
  reading: boolean;
  attach: (files: File[]) => void;
  remove: (attachment: Attachment) => void;
  clear: () => void;
}

/** `known` is true once Paddock has told its models: until then nothing is said against an attachment. */
function useAttachments(
  conversationId: string,
  attachments: Attachment[],
  known: boolean,
  model: ListedModel | undefined,
): Attached {
  const { drafts } = useActions();
  const [problems, setProblems] = useState<string[]>([]);
  const [reading, setReading] = useState(0);
  const latest = useRef(attachments);
  latest.current = attachments;
  useEffect(() => setProblems([]), [conversationId]);
  const attach = async (files: File[]) => {
    setReading((count) => count + 1);
    const read = await readFiles(files, model);
    setReading((count) => count - 1);
    if (read.attachments.length > 0) drafts.write({ attachments: withMore(latest.current, read.attachments) });
    setProblems(read.problems);
  };
  return {
    attachments,
    problems,
    misfit: known ? unfit(attachments, model) : null,
    reading: reading > 0,
    attach: (files) => void attach(files),
    remove: (attachment) => {
      drafts.write({ attachments: attachments.filter((one) => one !== attachment) });
      setProblems([]);
    },
    clear: () => setProblems([]),
  };
}

function Problems({ problems }: { problems: string[] }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <div role="alert">
      {problems.map((problem) => (
        <p key={problem} class="problem">
          {problem}
        </p>
      ))}
    </div>
  );
}
