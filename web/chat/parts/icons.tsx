import type { JSX } from 'preact';

/** Draws an icon on a grid of 24 in the colour of the text. The button around it has the label. */
function icon(path: string): () => JSX.Element {
  return () => (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  );
}

export const MenuIcon = icon('M4 7h16M4 12h16M4 17h16');
export const PlusIcon = icon('M12 5v14M5 12h14');
export const SlidersIcon = icon(
  'M4 7h9m4 0h3M4 17h3m4 0h9M13 7a2 2 0 1 0 4 0 2 2 0 1 0-4 0M7 17a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
);
export const ChevronIcon = icon('M7 10l5 5 5-5');
export const BackIcon = icon('M14 7l-5 5 5 5');
export const ForwardIcon = icon('M10 7l5 5-5 5');
export const SendIcon = icon('M12 19V5M6 11l6-6 6 6');
export const StopIcon = icon('M7 7h10v10H7zM9 9h6v6H9zM11 11h2v2h-2z');
export const AttachIcon = icon(
  'M19 11.5l-7.3 7.3a4.6 4.6 0 0 1-6.5-6.5l7.6-7.6a3 3 0 0 1 4.3 4.3l-7.6 7.6a1.5 1.5 0 0 1-2.2-2.1l7-7',
);
export const MicrophoneIcon = icon('M12 4a3 3 0 0 0-3 3v4a3 3 0 0 0 6 0V7a3 3 0 0 0-3-3zM6 11a6 6 0 0 0 12 0M12 17v3');
export const FileIcon = icon('M7 4h7l4 4v12H7zM14 4v4h4M10 12h5M10 16h5');
export const FolderIcon = icon('M4 7V5h6l2 2h8v12H4z');
export const CopyIcon = icon('M9 9h10v10H9zM5 15V5h10');
export const CopyTextIcon = icon('M9 9h10v10H9zM5 15V5h10M12 12.5h4M14 12.5v4');
export const CodeIcon = icon('M9 7l-5 5 5 5M15 7l5 5-5 5');
export const CheckIcon = icon('M5 12.5l4.5 4.5L19 7.5');
export const RetryIcon = icon('M19 12a7 7 0 1 1-2.1-5M19 4v4h-4');
export const EditIcon = icon('M5 19l1-4L16.5 4.5l3 3L9 18l-4 1zM14 7l3 3');
export const TrashIcon = icon('M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12');
export const MoreIcon = icon('M5.5 12h1M11.5 12h1M17.5 12h1');
export const PinIcon = icon('M9 4h6l-1 6 3 3H7l3-3zM12 13v7');
export const CloseIcon = icon('M6 6l12 12M18 6L6 18');
export const DownIcon = icon('M12 5v14M6 13l6 6 6-6');
export const LargeIcon = icon('M14 5h5v5M19 5l-6 6M10 19H5v-5M5 19l6-6');
export const ToolIcon = icon('M14 7a4 4 0 0 1 5-3l-3 3 1 2 2 1 3-3a4 4 0 0 1-5.5 4.5L9 19a2 2 0 0 1-3-3l7.5-7.5');
