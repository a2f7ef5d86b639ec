import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Attachment, inWords, kindsOf } from '../attachments/attachments.ts';
import { AttachButton, Attachments, DropZone } from '../attachments/attachments-view.tsx';
import { canRecord } from '../attachments/can-record.ts';
import { useAttachments } from '../attachments/use-attachments.ts';
import { useFileDrop } from '../attachments/use-file-drop.ts';
import { t } from '../messages/language.ts';
import { SendIcon, StopIcon } from '../parts/icons.tsx';
import { lazy } from '../parts/lazy.ts';
import { IconButton } from '../parts/parts.tsx';
import { Problems } from '../parts/problems.tsx';
import { useLazy } from '../parts/use-lazy.ts';
import { menuInWords, PromptMenuView } from '../prompts/prompt-menu.tsx';
import { usePromptMenu } from '../prompts/use-prompt-menu.ts';
import {
  currentConversation,
  currentDraft,
  currentModel,
  draftKey,
  hearingModel,
  isReplying,
} from '../state/selectors.ts';
import { useActions } from '../state/use-actions.ts';
import { useSelect } from '../state/use-select.ts';
import { MessageField } from './message-field.tsx';

const recordButton = lazy(() => import('../attachments/record-button.tsx'));

interface ComposerProps {
  /** Opens the list of all prompts. */
  onPrompts: () => void;
}

/** The form for a message: its text, its attachments, and the button that sends it. */
export function Composer({ onPrompts }: ComposerProps): JSX.Element {
  const { key, conversationId, written, model, hearer, hasModels, replying, prompts } = useSelect((state) => ({
    key: draftKey(state),
    conversationId: currentConversation(state).id,
    written: currentDraft(state),
    model: currentModel(state),
    hearer: hearingModel(state),
    hasModels: state.models !== null,
    replying: isReplying(state),
    prompts: state.prompts,
  }));
  const { replies, drafts } = useActions();
  const text = written.text.value;
  const draft = useAttachments(key, written.attachments.value, hasModels, model);
  const dragging = useFileDrop(draft.attach);
  const area = useRef<HTMLTextAreaElement>(null);
  const { attachments } = draft;
  const kinds = kindsOf(model);
  const recorder = useLazy(recordButton, hearer !== undefined && canRecord());
  const fit = !draft.work && draft.misfit === null;
  const sendable = !replying && fit && (text.trim() !== '' || attachments.length > 0);

  // The field gets the focus in each new conversation, so that the person can type at once.
  useLayoutEffect(() => area.current?.focus(), [conversationId]);

  const send = () => {
    if (!sendable) return;
    replies.send(text.trim(), attachments, { draft: drafts.clear() });
    draft.clear();
    area.current?.focus();
  };
  /** Replaces the range `from` to `to` of the message with a text and sets the caret after it. */
  const insert = (added: string, from: number, to: number, rest: { attachments?: Attachment[] } = {}) => {
    if (!area.current) return;
    // Written to the element at once, so that the next key comes after the text.
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
          onWriteDown={hearer && ((one, recording) => draft.dictate(recording, hearer, one))}
        />
      )}
      {draft.work && <p class="muted pulse reading">{t(draft.work)}</p>}
      <p class="hidden" role="status">
        {menuInWords(menu) || inWords(attachments, t)}
      </p>
      <Problems problems={draft.misfit ? [...draft.problems, draft.misfit] : draft.problems} />
      <PromptMenuView menu={menu} />
      <div class="composer-row">
        <AttachButton kinds={kinds} onPick={draft.attach} />
        <MessageField
          area={area}
          text={text}
          menu={menu}
          onText={(next) => drafts.write({ text: next })}
          onSend={send}
          onPasteFiles={draft.attach}
          onPasteLong={draft.attachText}
        />
        {hearer && recorder && (
          <recorder.RecordButton
            dictates={hearer !== model}
            onRecorded={(file) => (hearer === model ? draft.attach([file]) : draft.dictate(file, hearer))}
            onProblem={draft.refuse}
          />
        )}
        <SendButton replying={replying} sendable={sendable} onStopped={() => area.current?.focus()} />
      </div>
    </form>
  );
}

interface SendButtonProps {
  replying: boolean;
  sendable: boolean;
  /** Called when a reply was stopped, unless by touch: a keyboard would cover half of the screen. */
  onStopped: () => void;
}

/** Sends the message. While a reply grows, the button stops it. */
function SendButton({ replying, sendable, onStopped }: SendButtonProps): JSX.Element {
  const { replies } = useActions();
  if (replying) {
    const stop = (event: MouseEvent) => {
      replies.stop();
      if (!('pointerType' in event && event.pointerType === 'touch')) onStopped();
    };
    return (
      <IconButton label={t('common.stop')} class="primary" onClick={stop}>
        <StopIcon />
      </IconButton>
    );
  }
  return (
    <button
      type="submit"
      class="icon-button primary"
      aria-label={t('message.send')}
      title={t('message.send')}
      disabled={!sendable}
    >
      <SendIcon />
    </button>
  );
}
