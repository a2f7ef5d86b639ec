import { useState } from 'preact/hooks';
import { callAt, listPrompts, type PromptCall, type Prompts, promptsFor, type SavedPrompt } from './prompts.ts';

/** The prompts that are offered while one is called by `/name`. The last place of the menu leads to all prompts. */
export interface PromptMenu {
  /** Null while nothing is offered. */
  offered: SavedPrompt[] | null;
  /** The place that is chosen: from 0 to the number of what is offered. */
  active: number;
  /** Tells where the caret is now. */
  setCaret: (caret: number) => void;
  /** Tells that something was typed before the caret: a menu that was closed opens again. */
  onInput: (caret: number) => void;
  /** Returns true if the menu has used the key. */
  onKey: (event: KeyboardEvent) => boolean;
  /** Takes what stands at this place. */
  take: (place: number) => void;
}

interface MenuProps {
  text: string;
  prompts: Prompts;
  /** Puts this prompt in the place of its call. Null is for the list of all prompts. */
  onTake: (prompt: SavedPrompt | null, call: PromptCall) => void;
}

export function usePromptMenu({ text, prompts, onTake }: MenuProps): PromptMenu {
  const [caret, setCaret] = useState(0);
  /** What is chosen belongs to the text that was typed then. */
  const [chosen, setChosen] = useState({ text, place: 0 });
  const [closed, setClosed] = useState(false);
  const call = closed ? null : callAt(text, Math.min(caret, text.length));
  const found = call ? promptsFor(listPrompts(prompts), call.typed) : [];
  // A path such as /usr/bin is no call, unless a prompt is named so.
  const offered = call && (found.length > 0 || call.typed === '') ? found : null;
  const active = chosen.text === text ? Math.min(chosen.place, found.length) : 0;

  const take = (place: number) => {
    if (call) onTake(found[place] ?? null, call);
  };
  const onKey = (event: KeyboardEvent): boolean => {
    if (!offered || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    const count = offered.length + 1;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen({ text, place: (active + step + count) % count });
    else if (event.key === 'Enter' || event.key === 'Tab') take(active);
    else if (event.key === 'Escape') setClosed(true);
    else return false;
    event.preventDefault();
    // Escape would stop the reply too.
    event.stopPropagation();
    return true;
  };
  const onInput = (place: number) => {
    setCaret(place);
    setClosed(false);
  };
  return { offered, active, setCaret, onInput, onKey, take };
}
