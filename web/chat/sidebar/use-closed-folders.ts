import { useState } from 'preact/hooks';
import { keepClosedFolders, readClosedFolders } from '../state/preferences.ts';

interface ClosedFolders {
  isOpen: (name: string) => boolean;
  setOpen: (name: string, open: boolean) => void;
}

/** The folders that a person has closed, stored in this browser. `folders` has the names of all folders. */
export function useClosedFolders(folders: string[]): ClosedFolders {
  const [closed, setClosed] = useState(readClosedFolders);
  return {
    isOpen: (name) => !closed.includes(name),
    setOpen: (name, open) => {
      const others = closed.filter((one) => one !== name && folders.includes(one));
      const next = open ? others : [...others, name];
      setClosed(next);
      keepClosedFolders(next);
    },
  };
}
