import type { ModelCard, ModelProfile } from './model.ts';

/** The card of a model by each of its profiles: the lists of models keep texts by the card. */
const cards = new WeakMap<ModelProfile, { model: ModelCard; card: ModelCard }>();

/**
 * Returns the card of a model with the defaults of a profile. The id stays that of the model, so both share its engine.
 * A setting of the profile also replaces a parameter of the model with the same name, which would come before it.
 */
export function withProfile(model: ModelCard, profile: ModelProfile): ModelCard {
  const known = cards.get(profile);
  if (known?.model === model) return known.card;
  const parameters = Object.entries(model.parameters).filter(([name]) => !Object.hasOwn(profile.settings, name));
  const card = {
    ...model,
    settings: { ...model.settings, ...profile.settings },
    parameters: { ...Object.fromEntries(parameters), ...profile.parameters },
  };
  cards.set(profile, { model, card });
  return card;
}
