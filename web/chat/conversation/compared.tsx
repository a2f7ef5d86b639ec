import type { ComponentChildren, JSX } from 'preact';
import type { ListedModel } from '../../../src/contract/models/model.ts';
import { t } from '../messages/language.ts';
import { canChat, nameAmong } from '../models/model.ts';
import { rich } from '../parts/rich.tsx';
import { useActions } from '../state/use-actions.ts';

/** The replies of two models to one question, side by side; one below the other on a narrow screen. */
export function Compared({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <fieldset class="compared" aria-label={t('compare.both')}>
      {children}
    </fieldset>
  );
}

interface ComparedOneProps {
  replyId: string;
  name: string;
  children: ComponentChildren;
}

/** One of two compared replies, with a button that chooses it. */
export function ComparedOne({ replyId, name, children }: ComparedOneProps): JSX.Element {
  const { messages } = useActions();
  return (
    <div class="compared-one">
      {children}
      <button type="button" class="button" onClick={() => messages.choose(replyId)}>
        {rich('compare.goOn', { by: <span class="hidden">{t('compare.by', { name })}</span> })}
      </button>
    </div>
  );
}

interface CompareChoiceProps {
  models: ListedModel[] | null;
  /** The model of the chat, which is not compared with itself. */
  model: ListedModel | undefined;
  /** The id of the second model; null for none. */
  second: string | null;
}

/** Chooses a second model, which answers each question too. Draws nothing if there is only one model. */
export function CompareChoice({ models, model, second }: CompareChoiceProps): JSX.Element | null {
  const { conversations } = useActions();
  const others = (models ?? []).filter((one) => canChat(one) && one.id !== model?.id);
  if (others.length === 0) return null;
  return (
    <div class="field">
      <label for="compare-with">{t('compare.with')}</label>
      <select
        id="compare-with"
        value={others.some(({ id }) => id === second) ? (second ?? '') : ''}
        onChange={({ currentTarget: { value } }) => conversations.compareWith(value || null)}
      >
        <option value="">{t('compare.none')}</option>
        {others.map((one) => (
          <option key={one.id} value={one.id}>
            {nameAmong(one, models)}
          </option>
        ))}
      </select>
      <small class="muted">{t('compare.hint')}</small>
    </div>
  );
}
