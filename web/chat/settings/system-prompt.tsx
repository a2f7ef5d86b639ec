import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { LargeIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/parts.tsx';
import { useGrow } from '../parts/use-grow.ts';

interface SystemPromptProps {
  text: string;
  /** The model's own system prompt, which applies without another one; null if it has none. */
  otherwise: string | null;
  onChange: (text: string) => void;
}

/** The field of the system prompt. It grows with its text, up to most of the screen. */
export function SystemPrompt({ text, otherwise, onChange }: SystemPromptProps): JSX.Element {
  const [large, setLarge] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  useGrow(area, text);
  return (
    <div class={large ? 'field system large' : 'field system'}>
      <div class="row spread">
        <label for="system-prompt">{t('settings.system')}</label>
        <IconButton
          label={t('settings.moreRoom')}
          pressed={large}
          onClick={() => {
            setLarge(!large);
            area.current?.focus();
          }}
        >
          <LargeIcon />
        </IconButton>
      </div>
      <textarea
        ref={area}
        id="system-prompt"
        rows={4}
        dir="auto"
        value={text}
        placeholder={otherwise ?? t('settings.systemHint')}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}
