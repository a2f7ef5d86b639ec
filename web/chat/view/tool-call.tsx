import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ToolCallObject } from '../../../src/core/api/chat/tool-call.ts';
import type { ToolTurn } from '../data/conversation.ts';
import { useActions } from './actions.ts';
import { ToolIcon } from './icons.tsx';

interface ToolCallProps {
  call: ToolCallObject;
  result: ToolTurn | undefined;
  answerable: boolean;
}

/** A tool call of the model. The page runs no tools: a person types the result. */
export function ToolCall({ call, result, answerable }: ToolCallProps): JSX.Element {
  const { name, arguments: given } = call.function;
  return (
    <section class="tool-call" aria-label={`Call of ${name}`}>
      <h3>
        <ToolIcon />
        {name}
      </h3>
      <Arguments text={given} />
      {result && (
        <p class="tool-result" dir="auto">
          <strong>Result</strong> {result.text}
        </p>
      )}
      {answerable && <Answer call={call} />}
    </section>
  );
}

/** Lists the arguments; while they are still incomplete, shows their text. */
function Arguments({ text }: { text: string }): JSX.Element {
  const values = readObject(text);
  if (!values) return <code class="tool-arguments">{text || '…'}</code>;
  if (Object.keys(values).length === 0) return <p class="muted">Without arguments</p>;
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
        aria-label={`Result of ${call.function.name}`}
        placeholder="What the tool says"
        required
      />
      <button type="submit" class="button">
        Send result
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
