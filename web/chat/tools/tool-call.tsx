import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ToolCallObject } from '../../../src/api/chat/tool-call.ts';
import type { ToolTurn } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import { ToolIcon } from '../parts/icons.tsx';
import { useActions } from '../state/use-actions.ts';
import { MOST_ROUNDS, type OpenCall } from './calls.ts';
import type { RunnableTool } from './offer.ts';

interface ToolCallProps {
  call: ToolCallObject;
  result: ToolTurn | undefined;
  /** The state of the call, if it has no result and can get one now. */
  open: OpenCall | undefined;
}

/** A tool call of the model. The page runs it if it has the tool. If not, a person types the result. */
export function ToolCallView({ call, result, open }: ToolCallProps): JSX.Element {
  const { name, arguments: given } = call.function;
  return (
    <section class="tool-call" aria-label={t('tools.callOf', { name })}>
      <h3>
        <ToolIcon />
        {name}
        {open?.tool?.place && <small class="muted"> {t('tools.on', { place: open.tool.place })}</small>}
      </h3>
      <Arguments text={given} />
      {result && <Result result={result} />}
      {open && (open.tool ? <Consent open={open} tool={open.tool} /> : <Answer call={call} />)}
    </section>
  );
}

const OUTCOMES = { failed: 'tools.failed', declined: 'tools.declined' } as const;

/** The result that the model gets, collapsed, because it may be long. */
function Result({ result: { text, outcome } }: { result: ToolTurn }): JSX.Element {
  return (
    <details class="tool-result">
      <summary>{t(outcome ? OUTCOMES[outcome] : 'tools.result')}</summary>
      <p dir="auto">{text}</p>
    </details>
  );
}

/** Asks a person for consent to run a tool. */
function Consent({ open: { call, state }, tool }: { open: OpenCall; tool: RunnableTool }): JSX.Element {
  const { calls } = useActions();
  if (state === 'running' || state === 'elsewhere') {
    return <p class="pulse">{state === 'running' ? t('tools.running') : t('tools.elsewhere')}</p>;
  }
  return (
    <fieldset class="tool-consent">
      <legend class="hidden">{t('tools.mayRun', { name: tool.name })}</legend>
      {state === 'asking again' && <p>{t('tools.begunBefore')}</p>}
      {state === 'asking after many' && <p>{t('tools.manyRounds', { count: MOST_ROUNDS })}</p>}
      <div class="row">
        <button type="button" class="button primary" onClick={() => calls.run(call.id, 'once')}>
          {t('tools.runOnce')}
        </button>
        {tool.runner.kind === 'server' && state === 'asking' && (
          <button type="button" class="button" onClick={() => calls.run(call.id, 'always')}>
            {t('tools.always')}
          </button>
        )}
        <button type="button" class="button quiet" onClick={() => calls.decline(call.id)}>
          {t('tools.no')}
        </button>
      </div>
    </fieldset>
  );
}

/** Lists the arguments; while they are still incomplete, shows their text. */
function Arguments({ text }: { text: string }): JSX.Element {
  const values = readObject(text);
  if (!values) return <code class="tool-arguments">{text || '…'}</code>;
  if (Object.keys(values).length === 0) return <p class="muted">{t('tools.noArguments')}</p>;
  return (
    <dl class="tool-arguments">
      {Object.entries(values).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Answer({ call }: { call: ToolCallObject }): JSX.Element {
  const { replies } = useActions();
  const [text, setText] = useState('');
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        replies.answerCall(call.id, text);
      }}
    >
      <input
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        aria-label={t('tools.resultOf', { name: call.function.name })}
        placeholder={t('tools.resultExample')}
        required
      />
      <button type="submit" class="button">
        {t('tools.sendResult')}
      </button>
    </form>
  );
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
