import type { AriaAttributes, ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../messages/language.ts';
import type { PromptMenu } from './use-prompt-menu.ts';

export const MENU_ID = 'prompt-menu';

/** Returns the element id of the option at this place in the menu. */
export function optionId(place: number): string {
  return `prompt-option-${place}`;
}

/**
 * Returns the ARIA attributes of the message field while the menu is open. It works like a combobox, but a text area
 * can't have that role, so `menuInWords` returns the announcements of a combobox.
 */
export function menuAttributes({ offered, active }: PromptMenu): AriaAttributes {
  if (!offered) return {};
  return {
    'aria-haspopup': 'listbox',
    'aria-autocomplete': 'list',
    'aria-controls': MENU_ID,
    'aria-activedescendant': optionId(active),
  };
}

/** Returns the announcement of the menu for screen readers; '' while the menu is closed. */
export function menuInWords({ offered }: PromptMenu): string {
  if (!offered) return '';
  return t('prompts.toChoose', { count: offered.length });
}

/** The menu of prompts above the message. The focus stays in the message. */
export function PromptMenuView({ menu }: { menu: PromptMenu }): JSX.Element | null {
  const { offered, active, take } = menu;
  if (!offered) return null;
  return (
    <div id={MENU_ID} class="prompt-menu" role="listbox" aria-label={t('prompts.title')}>
      {offered.map(({ id, name, text }, place) => (
        <Option key={id} place={place} active={place === active} onTake={take}>
          <strong>/{name.value}</strong> <span class="muted">{text.value.slice(0, 120)}</span>
        </Option>
      ))}
      <Option place={offered.length} active={offered.length === active} onTake={take}>
        {offered.length === 0 ? t('prompts.writeOwn') : t('prompts.all')}
      </Option>
    </div>
  );
}

interface OptionProps {
  place: number;
  active: boolean;
  onTake: (place: number) => void;
  children: ComponentChildren;
}

function Option({ place, active, onTake, children }: OptionProps): JSX.Element {
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) option.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the message, which names the active option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the message handles the keys
    <div
      ref={option}
      id={optionId(place)}
      role="option"
      class="prompt-option"
      aria-selected={active}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onTake(place)}
    >
      {children}
    </div>
  );
}
