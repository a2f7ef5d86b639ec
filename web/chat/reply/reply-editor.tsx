import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { onEscape } from '../parts/on-escape.ts';

interface ReplyEditorProps {
  text: string;
  onSave: (text: string) => void;
  onCancel: () => void;
}

/** Edits the text of a reply. Ctrl+Enter saves it, Escape cancels. */
export function ReplyEditor({ text: before, onSave, onCancel }: ReplyEditorProps): JSX.Element {
  const [text, setText] = useState(before);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const save = () => {
    if (text.trim() !== '') onSave(text);
  };
  const leave = onEscape(onCancel);
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        ref={area}
        class="reply-words"
        value={text}
        rows={Math.min(16, before.split('\n').length + 2)}
        aria-label={t('reply.words')}
        dir="auto"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          leave(event);
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
          event.preventDefault();
          save();
        }}
      />
      <div class="row end">
        <button type="button" class="button quiet" onClick={onCancel}>
          {t('common.cancel')}
        </button>
        <button type="submit" class="button primary" disabled={text.trim() === ''}>
          {t('common.save')}
        </button>
      </div>
    </form>
  );
}
