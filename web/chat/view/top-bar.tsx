import type { JSX } from 'preact';
import type { ListedModel } from '../data/model.ts';
import { ChevronIcon, MenuIcon, SlidersIcon } from './icons.tsx';
import { IconButton } from './parts.tsx';

interface TopBarProps {
  model: ListedModel | undefined;
  onMenu: () => void;
  onModels: () => void;
  onSettings: () => void;
}

export function TopBar({ model, onMenu, onModels, onSettings }: TopBarProps): JSX.Element {
  return (
    <header class="top-bar">
      <IconButton label="Chats" class="menu-button" onClick={onMenu}>
        <MenuIcon />
      </IconButton>
      <button type="button" class="button quiet model-button" onClick={onModels}>
        <span class="hidden">Model: </span>
        <span class="model-name">{model?.name ?? 'Models'}</span>
        <ChevronIcon />
      </button>
      <IconButton label="Settings of this chat" onClick={onSettings}>
        <SlidersIcon />
      </IconButton>
    </header>
  );
}
