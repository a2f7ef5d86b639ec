import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { ArrivalSign } from '../models/arrival-sign.tsx';
import { nameAmong } from '../models/model.ts';
import { ChevronIcon, MenuIcon, SlidersIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/parts.tsx';
import { currentModel } from '../state/selectors.ts';
import { useSelect } from '../state/use-select.ts';

interface TopBarProps {
  onMenu: () => void;
  onModels: () => void;
  onSettings: () => void;
}

/** The bar above the conversation: the model, a download that runs, and the buttons for chats and settings. */
export function TopBar({ onMenu, onModels, onSettings }: TopBarProps): JSX.Element {
  const { model, models, arrival } = useSelect((state) => ({
    model: currentModel(state),
    models: state.models,
    arrival: state.arrival,
  }));
  return (
    <header class="top-bar">
      <IconButton label={t('chats.title')} class="menu-button" onClick={onMenu}>
        <MenuIcon />
      </IconButton>
      <button type="button" class="button quiet model-button" onClick={onModels}>
        <span class="hidden">{t('page.model')}</span>
        <span class="model-name">{model ? nameAmong(model, models) : t('page.models')}</span>
        <ChevronIcon />
      </button>
      {arrival && <ArrivalSign arrival={arrival} onOpen={onModels} />}
      <IconButton label={t('page.settings')} onClick={onSettings}>
        <SlidersIcon />
      </IconButton>
    </header>
  );
}
