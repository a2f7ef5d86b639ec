import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Attachment, inWords, kindsOf, meansFiles } from '../data/attachments.ts';
import type { Draft } from '../data/draft.ts';
import { sends } from '../data/enter.ts';
import type { ListedModel } from '../data/model.ts';
import type { Prompts } from '../data/prompts.ts';
import { LONG_PASTE } from '../data/text-file.ts';
import { t } from '../messages/language.ts';
import { useActions } from './actions.ts';
import { AttachButton, Attachments, DropZone } from './attachments.tsx';
import { SendIcon, StopIcon } from './icons.tsx';
import { canRecord } from './microphone.ts';
import { IconButton } from './parts.tsx';
import { Problems } from './problems.tsx';
import { menuAttributes, menuInWords, PromptMenuView } from './prompt-menu.tsx';
import { RecordButton } from './record-button.tsx';
import { useAttachments } from './use-attachments.ts';
import { useEnter } from './use-enter.ts';
import { useFileDrop } from './use-file-drop.ts';
import { usePromptMenu } from './use-prompt-menu.ts';

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
  prompts: Prompts;
  /** Opens the list of all prompts. */
  onPrompts: () => void;
}

/** The form for a message. Enter sends it or begins a new line, as the person has chosen. */
export function Composer(props: ComposerProps): JSX.Element {
  const { conversationId, draft: written, draftKey, models, model, replying, prompts, onPrompts } = props;
  const { replies, drafts } = useActions();
  const text = written.text.value;
  const setText = (next: string) => drafts.write({ text: next });
  const draft = useAttachments(draftKey, written.attachments.value, models !== null, model);
  const dragging = useFileDrop(draft.attach);
  const area = useRef<HTMLTextAreaElement>(null);
  const [enter] = useEnter();
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
  /** Puts a text into the message and leaves the caret behind it. */
  const insert = (added: string, from: number, to: number, rest: { attachments?: Attachment[] } = {}) => {
    if (!area.current) return;
    // At once, so that what is typed next comes after it.
    area.current.setRangeText(added, from, to, 'end');
    area.current.focus();
    drafts.write({ text: area.current.value, ...rest });
  };
  const putIn = (one: Attachment) => {
    if (one.kind !== 'text') return;
    const at = area.current?.selectionStart ?? text.length;
    insert(one.file.text, at, at, { attachments: attachments.filter((other) => other !== one) });
  };
  const menu = usePromptMenu({
    text,
    prompts,
    onTake: (prompt, { from, typed }) => {
      insert(prompt?.text.value ?? '', from, from + 1 + typed.length);
      if (!prompt) onPrompts();
    },
  });
  const onPaste = (event: ClipboardEvent) => {
    const clipboard = event.clipboardData;
    if (!clipboard) return;
    const pasted = clipboard.getData('text/plain');
    if (meansFiles(clipboard.types)) draft.attach(Array.from(clipboard.files));
    else if (pasted.length > LONG_PASTE) draft.attachText(pasted);
    else return;
    event.preventDefault();
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {dragging && <DropZone kinds={kinds} />}
      {attachments.length > 0 && (
        <Attachments
          attachments={attachments}
          onRemove={(one) => {
            draft.remove(one);
            area.current?.focus();
          }}
          onPutIn={putIn}
        />
      )}
      {draft.reading && <p class="muted pulse reading">{t('message.readingFiles')}</p>}
      <p class="hidden" role="status">
        {menuInWords(menu) || inWords(attachments, t)}
      </p>
      <Problems problems={draft.misfit ? [...draft.problems, draft.misfit] : draft.problems} />
      <PromptMenuView menu={menu} />
      <div class="composer-row">
        <AttachButton kinds={kinds} onPick={draft.attach} />
        <textarea
          ref={area}
          id="message"
          rows={1}
          value={text}
          placeholder={t('message.field')}
          aria-label={t('message.field')}
          dir="auto"
          enterkeyhint={enter === 'send' ? 'send' : 'enter'}
          {...menuAttributes(menu)}
          onInput={({ currentTarget }) => {
            menu.onInput(currentTarget.selectionStart);
            setText(currentTarget.value);
          }}
          onSelect={({ currentTarget }) => menu.setCaret(currentTarget.selectionStart)}
          onKeyDown={(event) => {
            if (menu.onKey(event) || !sends(event, enter)) return;
            event.preventDefault();
            send();
          }}
          onPaste={onPaste}
        />
        {kinds.includes('audio') && canRecord() && (
          <RecordButton onRecorded={(file) => draft.attach([file])} onProblem={draft.refuse} />
        )}
        {replying ? (
          <IconButton label={t('common.stop')} class="primary" onClick={() => replies.stop()}>
            <StopIcon />
          </IconButton>
        ) : (
          <button
            type="submit"
            class="icon-button primary"
            aria-label={t('message.send')}
            title={t('message.send')}
            disabled={!sendable}
          >
            <SendIcon />
          </button>
        )}
      </div>
    </form>
  );
}
