import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { attachmentsOf } from '../attachments/attachments.ts';
import { Attachments } from '../attachments/attachments-view.tsx';
import { SentFile } from '../attachments/file-card.tsx';
import { RecordingView } from '../attachments/recording.tsx';
import { sends } from '../composer/enter.ts';
import { useEnter } from '../composer/use-enter.ts';
import { t } from '../messages/language.ts';
import { EditIcon, TrashIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/parts.tsx';
import { useFocusBack } from '../parts/use-focus-back.ts';
import { useActions } from '../state/use-actions.ts';
import type { UserTurn } from './conversation.ts';
import { Versions } from './versions.tsx';

interface UserTurnProps {
  turn: UserTurn;
  versions: string[];
  /** A note that names the attachments which the model does not get; null if it gets all of them. */
  mediaNote: string | null;
}

/** The person's message. It can be edited. */
export function UserTurnView({ turn, versions, mediaNote }: UserTurnProps): JSX.Element {
  const [editing, setEditing] = useState(false);
  const { part, focusBack } = useFocusBack<HTMLElement>('.said-row button');
  return (
    <article class="turn said" data-turn={turn.id} ref={part}>
      <h2 class="hidden">{t('message.you')}</h2>
      {!editing && <Sent turn={turn} />}
      {!editing && mediaNote !== null && <p class="media-note">{mediaNote}</p>}
      {editing ? (
        <Editor
          turn={turn}
          onDone={() => {
            setEditing(false);
            focusBack();
          }}
        />
      ) : (
        <div class="said-row">
          <IconButton label={t('message.edit')} onClick={() => setEditing(true)}>
            <EditIcon />
          </IconButton>
          {turn.text !== '' && (
            <p class="bubble" dir="auto">
              {turn.text}
            </p>
          )}
        </div>
      )}
      {!editing && <Versions id={turn.id} versions={versions} />}
    </article>
  );
}

/** The attachments of the message. */
function Sent({ turn: { images, recordings, files } }: { turn: UserTurn }): JSX.Element {
  return (
    <>
      {images.length > 0 && (
        <div class="pictures">
          {images.map((url) => (
            <img key={url} src={url} alt={t('message.attachedByYou')} />
          ))}
        </div>
      )}
      {recordings?.map((recording) => (
        <RecordingView key={recording.url} recording={recording} />
      ))}
      {files?.map((file, index) => (
        <SentFile key={`${index} ${file.name}`} file={file} />
      ))}
    </>
  );
}

/** Edits the text of a message and removes attachments. The old message stays as another version. */
function Editor({ turn, onDone }: { turn: UserTurn; onDone: () => void }): JSX.Element {
  const { replies, messages } = useActions();
  const [text, setText] = useState(turn.text);
  const [attachments, setAttachments] = useState(() => attachmentsOf(turn));
  const isEmpty = text.trim() === '' && attachments.length === 0;
  const send = () => {
    if (isEmpty) return;
    onDone();
    replies.edit(turn.id, text, attachments);
  };
  const [enter] = useEnter();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {attachments.length > 0 && (
        <Attachments
          attachments={attachments}
          onRemove={(one) => {
            setAttachments(attachments.filter((other) => other !== one));
            area.current?.focus();
          }}
        />
      )}
      <textarea
        ref={area}
        value={text}
        aria-label={t('message.your')}
        dir="auto"
        enterkeyhint={enter === 'send' ? 'send' : 'enter'}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            onDone();
          }
          if (sends(event, enter)) {
            event.preventDefault();
            send();
          }
        }}
      />
      <div class="row end">
        <IconButton
          label={t('message.delete')}
          onClick={() => {
            onDone();
            messages.remove(turn.id);
          }}
        >
          <TrashIcon />
        </IconButton>
        <button type="button" class="button quiet" onClick={onDone}>
          {t('common.cancel')}
        </button>
        <button type="submit" class="button primary" disabled={isEmpty}>
          {t('message.sendAgain')}
        </button>
      </div>
    </form>
  );
}
