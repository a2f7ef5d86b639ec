import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Attachment, inWords, kindsOf, meansFiles, unfit } from '../data/attachments.ts';
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
  /** What is written in this conversation and not sent yet, and its key. */
  draft: Draft;
  draftKey: string;
  /** The models; null until Paddock has told them. What is sent before that waits. */
  models: ListedModel[] | null;
  /** The model that gets the message. */
  model: ListedModel | undefined;
  replying: boolean;
}

/** The form for a message. Enter sends it, Shift+Enter begins a new line. */
export function Composer(props: ComposerProps): JSX.Element {
  const { conversationId, draft: written, draftKey, models, model, replying } = props;
  const { replies, drafts } = useActions();
  const text = written.text.value;
  const setText = (next: string) => drafts.write({ text: next });
  const draft = useAttachments(draftKey, written.attachments.value, models !== null, model);
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
    replies.send(text.trim(), attachments, { draft: drafts.clear() });
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

/** The files of one draft that were refused. */
interface Refused {
  key: string;
  problems: string[];
}

const NONE_REFUSED: Refused = { key: '', problems: [] };

/** `known` is true once Paddock has told its models: until then nothing is said against an attachment. */
function useAttachments(
  key: string,
  attachments: Attachment[],
  known: boolean,
  model: ListedModel | undefined,
): Attached {
  const { drafts } = useActions();
  const [refused, setRefused] = useState(NONE_REFUSED);
  /** The keys of the drafts for which files are being read: one for each time that some were chosen. */
  const [reading, setReading] = useState<string[]>([]);
  useEffect(() => setRefused(NONE_REFUSED), [key]);
  // Another conversation may be open when the files are read. They belong to the one for which they were chosen.
  const attach = async (files: File[]) => {
    setReading((keys) => [...keys, key]);
    const { attachments, problems } = await readFiles(files, model);
    setReading((keys) => keys.toSpliced(keys.indexOf(key), 1));
    if (attachments.length > 0) drafts.attach(key, attachments);
    setRefused({ key, problems });
  };
  return {
    attachments,
    problems: refused.key === key ? refused.problems : [],
    misfit: known ? unfit(attachments, model) : null,
    reading: reading.includes(key),
    attach: (files) => void attach(files),
    remove: (attachment) => {
      drafts.write({ attachments: attachments.filter((one) => one !== attachment) });
      setRefused(NONE_REFUSED);
    },
    clear: () => setRefused(NONE_REFUSED),
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
