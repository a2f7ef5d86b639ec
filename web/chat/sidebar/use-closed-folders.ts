import { useState } from 'preact/hooks';
import { keepClosedFolders, readClosedFolders } from '../state/preferences.ts';

interface ClosedFolders {
  isOpen: (name: string) => boolean;
  setOpen: (name: string, open: boolean) => void;
}

/** Which folders a person has closed, also at earlier visits. `folders` are the names of all that there are. */
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
