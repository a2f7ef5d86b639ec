import { useState } from 'preact/hooks';
import { callAt, listPrompts, type PromptCall, type Prompts, promptsFor, type SavedPrompt } from './prompts.ts';

/** The menu that opens while `/name` is typed. Its last entry opens the list of all prompts. */
export interface PromptMenu {
  /** The matching prompts; null while the menu is closed. */
  offered: SavedPrompt[] | null;
  /** The index of the active entry: from 0 to the number of matching prompts. */
  active: number;
  /** Must be called when the caret moves. */
  setCaret: (caret: number) => void;
  /** Must be called when text was typed before the caret. Opens a closed menu again. */
  onInput: (caret: number) => void;
  /** Handles a key. Returns true if the menu has used it. */
  onKey: (event: KeyboardEvent) => boolean;
  /** Chooses the entry at this index. */
  take: (place: number) => void;
}

interface MenuProps {
  text: string;
  prompts: Prompts;
  /** Called with the chosen prompt, which replaces the typed `/name`; with null, the list of all prompts opens. */
  onTake: (prompt: SavedPrompt | null, call: PromptCall) => void;
}

/** Returns the menu of prompts for the message with this text. */
export function usePromptMenu({ text, prompts, onTake }: MenuProps): PromptMenu {
  const [caret, setCaret] = useState(0);
  /** The active entry, which is valid only for the text that it was chosen for. */
  const [chosen, setChosen] = useState({ text, place: 0 });
  const [closed, setClosed] = useState(false);
  const call = closed ? null : callAt(text, Math.min(caret, text.length));
  const found = call ? promptsFor(listPrompts(prompts), call.typed) : [];
  // A path such as /usr/bin opens no menu, unless a prompt has that name.
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
    // Otherwise, Escape would stop the reply too.
    event.stopPropagation();
    return true;
  };
  const onInput = (place: number) => {
    setCaret(place);
    setClosed(false);
  };
  return { offered, active, setCaret, onInput, onKey, take };
}
