import type { JSX, RefObject } from 'preact';
import { meansFiles } from '../attachments/attachments.ts';
import { LONG_PASTE } from '../attachments/text-file.ts';
import { t } from '../messages/language.ts';
import { menuAttributes } from '../prompts/prompt-menu.tsx';
import type { PromptMenu } from '../prompts/use-prompt-menu.ts';
import { sends } from './enter.ts';
import { useEnter } from './use-enter.ts';

interface MessageFieldProps {
  area: RefObject<HTMLTextAreaElement | null>;
  text: string;
  /** The menu of prompts, open after a slash. */
  menu: PromptMenu;
  onText: (text: string) => void;
  onSend: () => void;
  onPasteFiles: (files: File[]) => void;
  /** Called in place of `onText` with a pasted text that is too long to be read in the field. */
  onPasteLong: (text: string) => void;
}

/** The text field of a message. Enter sends the message or begins a new line, as the person has chosen. */
export function MessageField(props: MessageFieldProps): JSX.Element {
  const { area, text, menu, onText, onSend, onPasteFiles, onPasteLong } = props;
  const [enter] = useEnter();
  const onPaste = (event: ClipboardEvent) => {
    const clipboard = event.clipboardData;
    if (!clipboard) return;
    const pasted = clipboard.getData('text/plain');
    if (meansFiles(clipboard.types)) onPasteFiles(Array.from(clipboard.files));
    else if (pasted.length > LONG_PASTE) onPasteLong(pasted);
    else return;
    event.preventDefault();
  };
  return (
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
        onText(currentTarget.value);
      }}
      onSelect={({ currentTarget }) => menu.setCaret(currentTarget.selectionStart)}
      onKeyDown={(event) => {
        if (menu.onKey(event) || !sends(event, enter)) return;
        event.preventDefault();
        onSend();
      }}
      onPaste={onPaste}
    />
  );
}
