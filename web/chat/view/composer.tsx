import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Attachment, inWords, kindsOf, meansFiles, unfit, withMore } from '../data/attachments.ts';
import type { ListedModel } from '../data/model.ts';
import { useActions } from './actions.ts';
import { readFiles } from './attach.ts';
import { AttachButton, Attachments, DropZone } from './attachments.tsx';
import { SendIcon, StopIcon } from './icons.tsx';
import { IconButton } from './parts.tsx';
import { useFileDrop } from './use-file-drop.ts';

interface ComposerProps {
  conversationId: string;
  /** The model that gets the message. Without one, nothing can be sent. */
  model: ListedModel | undefined;
  replying: boolean;
}

/** The form for a message. Enter sends it, Shift+Enter begins a new line. */
export function Composer({ conversationId, model, replying }: ComposerProps): JSX.Element {
  const { replies } = useActions();
  const [text, setText] = useState('');
  const draft = useAttachments(model);
  const dragging = useFileDrop(draft.attach);
  const area = useRef<HTMLTextAreaElement>(null);
  const { attachments } = draft;
  const kinds = kindsOf(model);
  const fit = !draft.reading && draft.misfit === null;
  const sendable = model !== undefined && !replying && fit && (text.trim() !== '' || attachments.length > 0);

  // After a change of conversation, the person can type at once.
  useLayoutEffect(() => area.current?.focus(), [conversationId]);

  const send = () => {
    if (!sendable) return;
    replies.send(text.trim(), attachments);
    setText('');
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
interface Draft {
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

function useAttachments(model: ListedModel | undefined): Draft {
  const [attachments, setAttachments] = useState<Attachment[]>([]);
  const [problems, setProblems] = useState<string[]>([]);
  const [reading, setReading] = useState(0);
  const attach = async (files: File[]) => {
    setReading((count) => count + 1);
    const read = await readFiles(files, model);
    setReading((count) => count - 1);
    setAttachments((before) => withMore(before, read.attachments));
    setProblems(read.problems);
  };
  const keep = (next: (before: Attachment[]) => Attachment[]) => {
    setAttachments(next);
    setProblems([]);
  };
  return {
    attachments,
    problems,
    misfit: unfit(attachments, model),
    reading: reading > 0,
    attach: (files) => void attach(files),
    remove: (attachment) => keep((before) => before.filter((one) => one !== attachment)),
    clear: () => keep(() => []),
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
