import { useEffect, useRef } from 'preact/hooks';
import { summariesOf } from '../conversation/tree/view.ts';
import { t } from '../messages/language.ts';
import { copyText } from '../parts/copy-text.ts';
import type { Actions } from '../state/actions.ts';
import { currentConversation } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { useActions } from '../state/use-actions.ts';
import { useStore } from '../state/use-select.ts';
import { type Command, commandOf } from './shortcuts.ts';

interface Panels {
  onHelp: () => void;
  /** Opens the list of chats, on screens where it is hidden. */
  onChats: () => void;
}

/** Listens for shortcuts while no dialog is open. */
export function useShortcuts(panels: Panels): void {
  const store = useStore();
  const actions = useActions();
  const act = useRef<(command: Command) => void>(() => {});
  act.current = (command) => run(command, store.get(), actions, panels);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
      const command = commandOf(event, isField(event.target));
      if (command === null) return;
      event.preventDefault();
      act.current(command);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function run(command: Command, state: State, actions: Actions, { onHelp, onChats }: Panels): void {
  const { conversations, replies } = actions;
  const reply = currentConversation(state).turns.findLast((turn) => turn.role === 'assistant');
  const commands: Record<Command, () => void> = {
    help: onHelp,
    new: conversations.begin,
    search: () => search(onChats),
    write: () => focus('#message'),
    copy: () => void copy(reply?.text ?? '', actions),
    retry: () => reply?.end && replies.retry(reply.id),
    previous: () => step(state, actions, -1),
    next: () => step(state, actions, 1),
  };
  commands[command]();
}

async function copy(text: string, { tell }: Actions): Promise<void> {
  if (text === '') return tell(t('reply.noneToCopy'));
  tell((await copyText(text)) ? t('reply.lastCopied') : t('page.cannotCopy'));
}

function search(onChats: () => void): void {
  if (!document.querySelector('.beside')?.checkVisibility()) onChats();
  // The list is drawn in the next frame if it was hidden.
  requestAnimationFrame(() => focus('dialog .chat-search, .beside .chat-search'));
}

/** Opens the chat that is `by` places below the current chat in the list. A new chat counts as above the first. */
function step({ chats, currentId }: State, { conversations }: Actions, by: number): void {
  const ids = summariesOf(chats).map(({ id }) => id);
  const next = ids[ids.indexOf(currentId) + by];
  if (next !== undefined) void conversations.open(next);
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=radio], [type=checkbox]), textarea, select');
}
