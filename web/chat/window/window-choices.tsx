import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedModel } from '../../../src/contract/models/model.ts';
import type { ShownConversation } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import '../messages/later.ts';
import type { Health } from '../page/health.ts';
import type { Ground } from '../state/state.ts';
import { useActions } from '../state/use-actions.ts';
import { windowOf } from './fill.ts';
import { likelyWindow, modelsWithMore, wayToMore } from './larger.ts';
import { LoneMessage } from './lone-message.tsx';
import { hasOneQuestion } from './where-to-cut.ts';

export interface WindowChoicesProps {
  conversation: ShownConversation;
  /** The summary that is being written in the conversation, as far as it is; undefined if none is. */
  summary: string | undefined;
  /** Null until the list has been fetched. */
  models: ListedModel[] | null;
  health: Health | null;
  model: ListedModel | undefined;
  /** Where the API runs; null if that is not known yet. */
  ground: Ground | null;
  /** A sentence that says how full the window is. */
  children: ComponentChildren;
  /** Called when there is room again in the conversation with this id. */
  onRoom: (conversationId: string) => void;
  onClose?: () => void;
}

/** Offers ways to make room in a context window that is full or nearly full. */
export function WindowChoices(props: WindowChoicesProps): JSX.Element {
  const { conversation, summary, model, children, onRoom, onClose } = props;
  const { window } = useActions();
  const [busy, setBusy] = useState(false);
  const { id } = conversation;
  const choose = async (make: () => Promise<string | null>) => {
    setBusy(true);
    const roomy = await make();
    setBusy(false);
    if (roomy !== null) onRoom(roomy);
  };
  if (summary !== undefined) return <Summarising text={summary} onStop={() => window.stopSummary(id)} />;
  return (
    <div class="window-choices">
      <p>{children}</p>
      {hasOneQuestion(conversation) ? (
        <LoneMessage turns={conversation.turns} onClose={onClose} />
      ) : (
        <MakeRoom id={id} disabled={busy} choose={choose} onClose={onClose} />
      )}
      {model && <LargerWindow {...props} model={model} />}
    </div>
  );
}

interface MakeRoomProps {
  /** The id of the conversation. */
  id: string;
  disabled: boolean;
  /** Runs a choice, which gives the id of the conversation that has room then; null for none. */
  choose: (make: () => Promise<string | null>) => Promise<void>;
  onClose: (() => void) | undefined;
}

/** The ways to leave out what was said first. */
function MakeRoom({ id, disabled, choose, onClose }: MakeRoomProps): JSX.Element {
  const { window } = useActions();
  return (
    <div class="row wrap">
      <button
        type="button"
        class="button"
        disabled={disabled}
        onClick={() => void choose(async () => ((await window.summarise(id)) ? id : null))}
      >
        {t('window.summarise')}
      </button>
      <button
        type="button"
        class="button"
        disabled={disabled}
        onClick={() => void choose(async () => ((await window.leaveOut(id)) ? id : null))}
      >
        {t('window.leaveOut')}
      </button>
      <button type="button" class="button" disabled={disabled} onClick={() => void choose(() => window.branchOff(id))}>
        {t('window.branchOff')}
      </button>
      {onClose && (
        <button type="button" class="button quiet" onClick={onClose}>
          {t('window.notNow')}
        </button>
      )}
    </div>
  );
}

function Summarising({ text, onStop }: { text: string; onStop: () => void }): JSX.Element {
  return (
    <div class="window-choices">
      <p class="pulse" role="status">
        {t('window.summarising')}
      </p>
      {text !== '' && (
        <p class="summary-so-far" dir="auto">
          {text}
        </p>
      )}
      <div class="row end">
        <button type="button" class="button" onClick={onStop}>
          {t('common.stop')}
        </button>
      </div>
    </div>
  );
}

interface LargerWindowProps
  extends Pick<WindowChoicesProps, 'conversation' | 'models' | 'health' | 'ground' | 'onRoom'> {
  model: ListedModel;
}

/** Names models with a larger window, and the way to a larger window for this model. */
function LargerWindow({ conversation, models, health, model, ground, onRoom }: LargerWindowProps): JSX.Element {
  const actions = useActions();
  const window = windowOf(health, model);
  const others = modelsWithMore(models ?? [], health, ground, window);
  return (
    <details>
      <summary>{t('window.larger')}</summary>
      <p class="muted">{wayToMore(model, window, ground, t)}</p>
      <div class="row wrap">
        {others.map((other) => (
          <button
            key={other.id}
            type="button"
            class="button"
            title={other.id}
            onClick={() => {
              actions.models.choose(other.id, conversation.id);
              onRoom(conversation.id);
            }}
          >
            {t(other.loaded ? 'window.use' : 'window.useUpTo', {
              name: other.name,
              window: likelyWindow(other, health, ground),
            })}
          </button>
        ))}
      </div>
    </details>
  );
}
