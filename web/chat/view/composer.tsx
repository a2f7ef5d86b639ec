import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useActions } from './actions.ts';
import { CloseIcon, ImageIcon, SendIcon, StopIcon } from './icons.tsx';
import { IconButton } from './parts.tsx';
import { toPicture } from './picture.ts';

interface ComposerProps {
  conversationId: string;
  /** Whether a message can be sent at all. */
  ready: boolean;
  replying: boolean;
  /** Whether the model looks at pictures. */
  vision: boolean;
}

/** Where a message is written. Enter sends it, Shift+Enter begins a line. */
export function Composer({ conversationId, ready, replying, vision }: ComposerProps): JSX.Element {
  const { replies } = useActions();
  const [text, setText] = useState('');
  const [images, setImages] = useState<string[]>([]);
  const [problem, setProblem] = useState('');
  const area = useRef<HTMLTextAreaElement>(null);
  const sendable = ready && !replying && (text.trim() !== '' || images.length > 0);

  // Another conversation is there to be written in.
  useLayoutEffect(() => area.current?.focus(), [conversationId]);

  const attach = async (files: Iterable<File>) => {
    try {
      const pictures = await Promise.all(Array.from(files, toPicture));
      setImages((before) => [...before, ...pictures]);
      setProblem('');
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const send = () => {
    if (!sendable) return;
    replies.send(text.trim(), images);
    setText('');
    setImages([]);
    area.current?.focus();
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {images.length > 0 && <Attached images={images} onChange={setImages} />}
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="composer-row">
        {vision && <PictureButton onPick={attach} />}
        <textarea
          ref={area}
          id="message"
          rows={1}
          value={text}
          placeholder="Message"
          aria-label="Message"
          enterkeyhint="send"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
          onPaste={(event) => {
            const files = picturesIn(event.clipboardData);
            if (!vision || files.length === 0) return;
            event.preventDefault();
            void attach(files);
          }}
        />
        {replying ? (
          <IconButton label="Stop" class="primary" onClick={() => replies.stop()}>
            <StopIcon />
          </IconButton>
        ) : (
          <button type="submit" class="icon-button primary" aria-label="Send" title="Send" disabled={!sendable}>
            <SendIcon />
          </button>
        )}
      </div>
    </form>
  );
}

function PictureButton({ onPick }: { onPick: (files: Iterable<File>) => void }): JSX.Element {
  return (
    <label class="icon-button file-button" title="Add a picture">
      <ImageIcon />
      <input
        type="file"
        accept="image/*"
        multiple
        aria-label="Add a picture"
        onChange={(event) => {
          onPick(event.currentTarget.files ?? []);
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}

function Attached({ images, onChange }: { images: string[]; onChange: (images: string[]) => void }): JSX.Element {
  return (
    <ul class="pictures" aria-label="Attached pictures">
      {images.map((url, index) => (
        <li key={url}>
          <img src={url} alt={`Attachment ${index + 1}`} />
          <IconButton
            label={`Remove picture ${index + 1}`}
            onClick={() => onChange(images.filter((one) => one !== url))}
          >
            <CloseIcon />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function picturesIn(data: DataTransfer | null): File[] {
  return Array.from(data?.files ?? []).filter(({ type }) => type.startsWith('image/'));
}
