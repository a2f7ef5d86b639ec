import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { onEscape } from './on-escape.ts';

interface RenameFieldProps {
  label: string;
  name: string;
  maxLength?: number;
  onRename: (name: string) => void;
  /** `byKey` is true if a key ended the renaming, and false if the field lost the focus. */
  onDone: (byKey: boolean) => void;
}

/** A field for a new name. Enter and leaving the field rename; Escape cancels. */
export function RenameField({ label, name, maxLength, onRename, onDone }: RenameFieldProps): JSX.Element {
  const [text, setText] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  const isOver = useRef(false);
  useEffect(() => field.current?.select(), []);
  const end = (renamed: boolean, byKey: boolean) => {
    // Removing the field also fires `blur`.
    if (isOver.current) return;
    isOver.current = true;
    if (renamed && text.trim() !== '' && text.trim() !== name) onRename(text.trim());
    onDone(byKey);
  };
  return (
    <form
      class="chat-rename"
      onSubmit={(event) => {
        event.preventDefault();
        end(true, true);
      }}
    >
      <input
        ref={field}
        value={text}
        aria-label={label}
        maxLength={maxLength}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={() => end(true, false)}
        onKeyDown={onEscape(() => end(false, true))}
      />
    </form>
  );
}
