import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { problemText } from '../messages/problem.ts';
import { readTools, type Settings } from '../settings/settings.ts';
import { currentHead } from '../state/selectors.ts';
import { useActions } from '../state/use-actions.ts';
import { useSelect } from '../state/use-select.ts';
import { NO_CHAT_TOOLS } from './chat-tools.ts';
import { CALCULATOR, runnableTools } from './offer.ts';

interface ToolsSectionProps {
  /** Opens the dialog with the servers. */
  onServers: () => void;
}

/** The part of a chat's settings that chooses which tools its model gets. */
export function ToolsSection({ onServers }: ToolsSectionProps): JSX.Element {
  const { tools } = useActions();
  const servers = useSelect((state) => state.tools.servers);
  const head = useSelect(currentHead);
  const settings = head.settings.value;
  const chat = head.tools?.value ?? NO_CHAT_TOOLS;
  const offered = runnableTools(servers, { ...NO_CHAT_TOOLS, servers: true });
  const allowed = offered.filter(({ consent }) => chat.allowed.includes(consent));
  return (
    <details class="field tools-section" open={settings.tools !== '' || chat.calculator || servers.length > 0}>
      <summary>{t('tools.title')}</summary>
      <label class="check">
        <input
          type="checkbox"
          checked={chat.calculator}
          onChange={({ currentTarget }) => tools.setChatTools({ calculator: currentTarget.checked })}
        />
        <span>
          {t('tools.calculator')} <small class="muted">{t('tools.calculatorHint', { name: CALCULATOR.name })}</small>
        </span>
      </label>
      <div class="row spread">
        {servers.length > 0 && (
          <label class="check">
            <input
              type="checkbox"
              checked={chat.servers}
              onChange={({ currentTarget }) => tools.setChatTools({ servers: currentTarget.checked })}
            />
            <span>{t('tools.ofServers', { count: offered.length })}</span>
          </label>
        )}
        <button type="button" class="button" onClick={onServers}>
          {t('tools.serversButton')}
        </button>
      </div>
      {allowed.length > 0 && (
        <div class="row spread">
          <small class="muted">{t('tools.runFreely', { names: allowed.map(({ name }) => name).join(', ') })}</small>
          <button type="button" class="button quiet" onClick={() => tools.setChatTools({ allowed: [] })}>
            {t('tools.askAgain')}
          </button>
        </div>
      )}
      <TypedTools settings={settings} />
    </details>
  );
}

/** The tools that the page can't run: a person types their results. */
function TypedTools({ settings }: { settings: Settings }): JSX.Element {
  const { conversations } = useActions();
  const problem = problemOf(settings.tools);
  return (
    <label class="field">
      <small>{t('tools.typed')}</small>
      <textarea
        rows={5}
        class="code"
        spellcheck={false}
        value={settings.tools}
        aria-label={t('tools.typedLabel')}
        aria-invalid={problem !== null}
        placeholder={'[{"type": "function", "function": {"name": "get_weather", …}}]'}
        onInput={({ currentTarget }) => conversations.changeSettings({ ...settings, tools: currentTarget.value })}
      />
      <small class={problem === null ? 'muted' : 'problem'}>{problem ?? t('tools.typedHint')}</small>
    </label>
  );
}

function problemOf(tools: string): string | null {
  try {
    readTools(tools);
    return null;
  } catch (error) {
    return problemText(error, t);
  }
}
