import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatBytes } from '../../../src/core/bytes.ts';
import type { Arrival } from '../data/arrival.ts';
import { formatSeconds } from '../data/figures.ts';
import { useActions } from './actions.ts';

/** A form that pulls a model, or with `fromDisk` imports a file. */
export function AddModel({ arrival, fromDisk }: { arrival: Arrival | null; fromDisk: boolean }): JSX.Element {
  const { models } = useActions();
  const [source, setSource] = useState('');
  if (arrival && arrival.failure === null) return <Arriving arrival={arrival} />;
  return (
    <section class="add-model">
      <h3>Add a model</h3>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void models.pull(source.trim());
        }}
      >
        <label for="source">From Hugging Face, or the URL of a GGUF file</label>
        <div class="row">
          <input
            id="source"
            value={source}
            placeholder="hf:org/repo"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            required
            onInput={(event) => setSource(event.currentTarget.value)}
          />
          <button type="submit" class="button primary">
            Pull
          </button>
        </div>
      </form>
      {arrival && (
        <p class="problem" role="alert">
          <strong>{arrival.source}</strong> did not come: {arrival.failure}
        </p>
      )}
      {fromDisk && <FromDisk />}
    </section>
  );
}

function FromDisk(): JSX.Element {
  const { models } = useActions();
  return (
    <p class="row from-disk">
      <label class="button file-button">
        Import a GGUF file
        <input
          type="file"
          accept=".gguf"
          aria-label="Import a GGUF file"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file) void models.importFile(file);
            currentTarget.value = '';
          }}
        />
      </label>
      <span class="muted">It is copied into this browser’s storage.</span>
    </p>
  );
}

function Arriving({ arrival }: { arrival: Arrival }): JSX.Element {
  const { models } = useActions();
  const { source, step, completed, total, secondsLeft } = arrival;
  const known = total !== null && total > 0;
  return (
    <section class="add-model">
      <h3 class="source">{source}</h3>
      <progress {...(known && { value: completed, max: total })} aria-label={`Progress of ${source}`} />
      <p class="muted arrival-step">{step}</p>
      <div class="row spread">
        <span class="muted figures">
          {known && `${formatBytes(completed)} of ${formatBytes(total)}`}
          {known && secondsLeft !== null && secondsLeft > 0 && ` · ${formatSeconds(secondsLeft)} left`}
        </span>
        <button type="button" class="button" onClick={models.cancelArrival}>
          Cancel
        </button>
      </div>
      <p class="muted">What has come by then is kept: pulling it again goes on from there.</p>
    </section>
  );
}
