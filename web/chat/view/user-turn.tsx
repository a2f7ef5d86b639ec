import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { UserTurn } from '../data/conversation.ts';
import { useActions } from './actions.ts';
import { EditIcon, TrashIcon } from './icons.tsx';
import { IconButton } from './parts.tsx';
import { RecordingView } from './recording.tsx';
import { Versions } from './versions.tsx';

/** The person's message. It can be edited. */
export function UserTurnView({ turn, versions }: { turn: UserTurn; versions: string[] }): JSX.Element {
  const [editing, setEditing] = useState(false);
  return (
    <article class="turn said">
      <h2 class="hidden">You</h2>
      {turn.images.length > 0 && (
        <div class="pictures">
          {turn.images.map((url) => (
            <img key={url} src={url} alt="Attached by you" />
          ))}
        </div>
      )}
      {turn.recordings?.map((recording) => (
        <RecordingView key={recording.url} recording={recording} />
      ))}
      {editing ? (
        <Editor turn={turn} onDone={() => setEditing(false)} />
      ) : (
        <div class="said-row">
          <IconButton label="Edit and send again" onClick={() => setEditing(true)}>
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

function Editor({ turn, onDone }: { turn: UserTurn; onDone: () => void }): JSX.Element {
  const { replies, messages } = useActions();
  const [text, setText] = useState(turn.text);
  const send = () => {
    onDone();
    replies.edit(turn.id, text);
  };
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={(area) => area?.focus()}
        value={text}
        aria-label="Your message"
        dir="auto"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            onDone();
          }
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            if (text.trim() !== '') send();
          }
        }}
      />
      <div class="row end">
        <IconButton
          label="Delete this message"
          onClick={() => {
            onDone();
            messages.remove(turn.id);
          }}
        >
          <TrashIcon />
        </IconButton>
        <button type="button" class="button quiet" onClick={onDone}>
          Cancel
        </button>
        <button type="submit" class="button primary" disabled={text.trim() === ''}>
          Send again
        </button>
      </div>
    </form>
  );
}
