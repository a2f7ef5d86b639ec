import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { problemText } from '../messages/problem.ts';

interface TextSettingProps {
  /** The name of the setting, from which the ids of its elements are made. */
  name: string;
  label: string;
  hint: string;
  text: string;
  placeholder: string;
  /** The problem with the text; null if there is none. */
  problem: string | null;
  onChange: (text: string) => void;
}

/** A setting that is JSON or another formal text. Its problem is shown below the field. */
export function TextSetting({
  name,
  label,
  hint,
  text,
  placeholder,
  problem,
  onChange,
}: TextSettingProps): JSX.Element {
  const id = `setting-${name}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        class="code"
        spellcheck={false}
        value={text}
        placeholder={placeholder}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <small id={`${id}-hint`} class={problem === null ? 'muted' : 'problem'}>
        {problem ?? hint}
      </small>
    </div>
  );
}

/** Returns the message, for people, of the error that `read` throws; null if it throws none. */
export function problemOf(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    return problemText(error, t);
  }
}
