import { useEffect, useRef, useState } from 'preact/hooks';

/** Takes the files that are dropped anywhere on the page; gives whether some are being dragged over it. */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [dragging, setDragging] = useState(false);
  const newest = useRef(onFiles);
  newest.current = onFiles;
  useEffect(() => listenForFiles(setDragging, (files) => newest.current(files)), []);
  return dragging;
}

/** Returns how to end it. */
function listenForFiles(onDragging: (dragging: boolean) => void, onFiles: (files: File[]) => void): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  // A picture of the page itself is a file too when it is dragged.
  let isOwn = false;
  const hasFiles = (event: DragEvent) => !isOwn && (event.dataTransfer?.types.includes('Files') ?? false);
  const isOpen = () => document.querySelector('dialog[open]') === null;

  addEventListener('dragstart', () => (isOwn = true), { signal });
  addEventListener('dragend', () => (isOwn = false), { signal });
  for (const name of ['dragenter', 'dragover'] as const) {
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Else the browser would leave the page for the file.
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
