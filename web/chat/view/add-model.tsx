import type { JSX } from 'preact';
import { formatBytes } from '../../../src/core/bytes.ts';
import { type Arrival, paceOf } from '../data/arrival.ts';
import type { Health } from '../data/health.ts';
import { useActions } from './actions.ts';
import { FindModel } from './find-model.tsx';

interface AddModelProps {
  arrival: Arrival | null;
  health: Health | null;
  /** True if a file can be imported. */
  fromDisk: boolean;
}

/** Finds and pulls models, or shows the one that arrives. */
export function AddModel({ arrival, health, fromDisk }: AddModelProps): JSX.Element {
  if (arrival) return <Arriving arrival={arrival} />;
  return (
    <section class="add-model">
      <h3>Add a model</h3>
      <FindModel health={health} />
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
  const { source, step, completed, total, kind, paused, failure } = arrival;
  const known = total !== null && total > 0;
  const stands = paused || failure !== null;
  return (
    <section class="add-model">
      <h3 class="source">{source}</h3>
      <progress
        {...(known ? { value: completed, max: total } : stands && { value: 0 })}
        aria-label={`Progress of ${source}`}
      />
      {failure === null ? (
        <p class="muted arrival-step">{step}</p>
      ) : (
        <p class="problem arrival-step" role="alert">
          It did not come: {failure}
        </p>
      )}
      <p class="muted figures">
        {[...(known ? [`${formatBytes(completed)} of ${formatBytes(total)}`] : []), paceOf(arrival)]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <div class="row">
        {kind === 'pull' && stands && (
          <button type="button" class="button primary" onClick={() => void models.goOn()}>
            {failure === null ? 'Go on' : 'Try again'}
          </button>
        )}
        {kind === 'pull' && !stands && (
          <button type="button" class="button" onClick={models.pauseArrival}>
            Pause
          </button>
        )}
        <button type="button" class="button quiet" onClick={models.cancelArrival}>
          {stands ? 'Forget it' : 'Cancel'}
        </button>
      </div>
      {kind === 'pull' && <p class="muted">What has come by then is kept: pulling it again goes on from there.</p>}
    </section>
  );
}
