import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { readDataUri } from '../../../src/media/data-uri.ts';
import type { Recording } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import { formatLength } from '../reply/figures.ts';

interface RecordingViewProps {
  recording: Recording;
  /** Has the recording written down. If it is left out, the button for that is not shown. */
  onWriteDown?: ((recording: Blob) => void) | undefined;
}

/** A player for a recording. */
export function RecordingView({ recording, onWriteDown }: RecordingViewProps): JSX.Element {
  const { name, seconds, url } = recording;
  const source = useObjectUrl(url);
  return (
    <figure class="recording">
      <figcaption>
        <span class="recording-name" title={name}>
          {name}
        </span>
        <span>{formatLength(seconds)}</span>
      </figcaption>
      {/* biome-ignore lint/a11y/useMediaCaption: there is no transcript of it */}
      <audio controls preload="metadata" src={source} aria-label={name} />
      {onWriteDown && (
        <button type="button" class="link" onClick={() => onWriteDown(toBlob(url))}>
          {t('files.writeDown')}
        </button>
      )}
    </figure>
  );
}

/** Returns a short object URL for a data: URL, because some players refuse long URLs. */
function useObjectUrl(dataUrl: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(toBlob(dataUrl));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [dataUrl]);
  return url;
}

function toBlob(dataUrl: string): Blob {
  const bytes = readDataUri(dataUrl, Number.POSITIVE_INFINITY);
  return new Blob([new Uint8Array(bytes)], { type: dataUrl.slice('data:'.length, dataUrl.indexOf(';')) });
}
