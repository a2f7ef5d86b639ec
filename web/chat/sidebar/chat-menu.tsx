import type { JSX } from 'preact';
import type { Summary } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import { shownTitle } from '../messages/shown-title.ts';
import { fileNameOf, saveFile } from '../parts/save-file.ts';
import { useActions } from '../state/use-actions.ts';

interface ChatMenuProps {
  summary: Summary;
  onRename: () => void;
  onMove: () => void;
  onDone: () => void;
}

/** The menu of a conversation in the list. */
export function ChatMenu({
  summary: { id, title: stored, pinned },
  onRename,
  onMove,
  onDone,
}: ChatMenuProps): JSX.Element {
  const title = shownTitle(stored);
  const { conversations, transfer, tell } = useActions();
  const save = async (form: 'markdown' | 'json') => {
    const text = await transfer.exportOne(id, form);
    if (form === 'json') saveFile(`${fileNameOf(title)}.json`, text, 'application/json');
    else saveFile(`${fileNameOf(title)}.md`, text, 'text/markdown');
    tell(t('chats.saved', { title }));
  };
  const does = (act: () => void) => () => {
    onDone();
    act();
  };
  return (
    <fieldset class="chat-more" aria-label={t('chats.moreAbout', { title })}>
      <button type="button" class="button quiet" onClick={onRename}>
        {t('common.rename')}
      </button>
      <button type="button" class="button quiet" onClick={does(() => conversations.pin(id, !pinned))}>
        {pinned ? t('chats.unpin') : t('chats.pin')}
      </button>
      <button type="button" class="button quiet" onClick={onMove}>
        {t('folders.moveTo')}
      </button>
      <button type="button" class="button quiet" onClick={does(() => void save('markdown'))}>
        {t('chats.saveMarkdown')}
      </button>
      <button type="button" class="button quiet" onClick={does(() => void save('json'))}>
        {t('chats.saveJson')}
      </button>
    </fieldset>
  );
}
