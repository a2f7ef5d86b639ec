import { useEffect, useRef, useState } from 'preact/hooks';

/** Accepts files that are dropped anywhere on the page. Returns true while files are dragged over it. */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [dragging, setDragging] = useState(false);
  const newest = useRef(onFiles);
  newest.current = onFiles;
  useEffect(() => listenForFiles(setDragging, (files) => newest.current(files)), []);
  return dragging;
}

/** Returns a function that stops listening. */
function listenForFiles(onDragging: (dragging: boolean) => void, onFiles: (files: File[]) => void): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  // The browser also offers a picture of the page itself as a file when a person drags it.
  let isOwn = false;
  const hasFiles = (event: DragEvent) => !isOwn && (event.dataTransfer?.types.includes('Files') ?? false);
  const isOpen = () => document.querySelector('dialog[open]') === null;

  addEventListener('dragstart', () => (isOwn = true), { signal });
  addEventListener('dragend', () => (isOwn = false), { signal });
  for (const name of ['dragenter', 'dragover'] as const) {
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Without this, the browser would open the file instead of the page.
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = isOpen() ? 'copy' : 'none';
      onDragging(isOpen());
    };
    addEventListener(name, onOver, { signal });
  }
  const onLeave = (event: DragEvent) => {
    if (event.relatedTarget === null) onDragging(false);
  };
  addEventListener('dragleave', onLeave, { signal });
  const onDrop = (event: DragEvent) => {
    onDragging(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (isOpen()) onFiles(Array.from(event.dataTransfer?.files ?? []));
  };
  addEventListener('drop', onDrop, { signal });
  return () => listening.abort();
}
