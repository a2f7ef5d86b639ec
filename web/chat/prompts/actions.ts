import { isOver } from '../conversation/tree/erase.ts';
import type { Stamp } from '../conversation/tree/stamp.ts';
import { t } from '../messages/language.ts';
import { type Context, tell } from '../state/context-actions.ts';
import { newId } from '../state/new-id.ts';
import { newPrompt, type SavedPrompt } from './prompts.ts';
import { isStoredPrompt, readPrompts, removePrompt, storePrompt } from './storage.ts';

export interface PromptActions {
  /** Reads the stored prompts, and again when another tab has changed one. */
  follow(): void;
  /** Stores a new prompt if `id` is null; otherwise stores the name and text of the prompt with this id. */
  keep(id: string | null, name: string, text: string): void;
  setDeleted(id: string, deleted: boolean): void;
  /** Merges imported prompts into the stored ones. Returns the number of prompts that are new or restored. */
  take(prompts: SavedPrompt[]): number;
}

export function promptActions(context: Context): PromptActions {
  const { store, clock } = context;
  const see = (prompts: SavedPrompt[]) => {
    for (const { name, text, deleted } of prompts) for (const { at } of [name, text, deleted]) clock.see(at);
    store.dispatch({ kind: 'prompts', prompts });
  };
  const read = () => {
    const prompts = readPrompts();
    const now = Date.now();
    for (const one of prompts) if (isOver(one, now)) removePrompt(one.id);
    see(prompts.filter((one) => !isOver(one, now)));
  };
  const put = (prompt: SavedPrompt) => {
    store.dispatch({ kind: 'prompts', prompts: [prompt] });
    const isStored = storePrompt(store.get().prompts[prompt.id] ?? prompt);
    if (!isStored && store.get().kept) tell(context, t('prompts.noRoom'), 'bad');
  };
  const change = (id: string, values: (at: Stamp) => Partial<SavedPrompt>) => {
    const known = store.get().prompts[id];
    if (known) put({ ...known, ...values(clock.next()) });
  };

  return {
    follow: () => {
      read();
      addEventListener('storage', ({ key }) => key !== null && isStoredPrompt(key) && read());
    },
    keep: (id, name, text) => {
      if (id === null) put(newPrompt(newId(), name, text, clock.next()));
      else change(id, (at) => ({ name: { value: name, at }, text: { value: text, at } }));
    },
    setDeleted: (id, deleted) => change(id, (at) => ({ deleted: { value: deleted, at } })),
    take: (prompts) => {
      const isHere = ({ id }: SavedPrompt) => store.get().prompts[id]?.deleted.value === false;
      const fresh = prompts.filter((one) => !isHere(one));
      see(prompts);
      for (const { id } of fresh) change(id, (at) => ({ deleted: { value: false, at } }));
      for (const one of prompts) if (!fresh.includes(one)) put(one);
      return fresh.length;
    },
  };
}
