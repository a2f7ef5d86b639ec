import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import type { Arrival } from '../models/arrival.ts';
import { ArrivalSign } from '../models/arrival-sign.tsx';
import { ChevronIcon, MenuIcon, SlidersIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/parts.tsx';

interface TopBarProps {
  /** The name of the model; undefined if there is none. */
  name: string | undefined;
  /** The model that is being downloaded, if there is one. */
  arrival: Arrival | null;
  onMenu: () => void;
  onModels: () => void;
  onSettings: () => void;
}

export function TopBar({ name, arrival, onMenu, onModels, onSettings }: TopBarProps): JSX.Element {
  return (
    <header class="top-bar">
      <IconButton label={t('chats.title')} class="menu-button" onClick={onMenu}>
        <MenuIcon />
      </IconButton>
      <button type="button" class="button quiet model-button" onClick={onModels}>
        <span class="hidden">{t('page.model')}</span>
        <span class="model-name">{name ?? t('page.models')}</span>
        <ChevronIcon />
      </button>
      {arrival && <ArrivalSign arrival={arrival} onOpen={onModels} />}
      <IconButton label={t('page.settings')} onClick={onSettings}>
        <SlidersIcon />
      </IconButton>
    </header>
  );
}
