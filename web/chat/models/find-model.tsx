import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Variant } from '../../../src/contract/models/finder.ts';
import type { Fit } from '../../../src/contract/models/needed-memory.ts';
import '../messages/later.ts';
import { t } from '../messages/language.ts';
import { localizeBytes, localizeCount } from '../messages/numbers.ts';
import type { MessageKey } from '../messages/translate.ts';
import type { Health } from '../page/health.ts';
import { rich } from '../parts/rich.tsx';
import { useActions } from '../state/use-actions.ts';
import { StarterList } from './starters.tsx';
import { bestOf, fitOf, type HubRepository, isSource, type VariantList } from './variants.ts';

/** The result below the form. */
type Result =
  | { kind: 'asking'; what: string }
  | { kind: 'found'; words: string; found: HubRepository[] }
  | { kind: 'offer'; offer: VariantList; before: Result | null }
  | { kind: 'failed'; what: string; message: string };

/** Searches the hub, lists the variants of a repository and whether they fit into memory, and pulls the chosen one. */
export function FindModel({ health }: { health: Health | null }): JSX.Element {
  const [text, setText] = useState('');
  const { result, search, openOffer, back } = useFinder();
  return (
    <div class="find-model">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isSource(text)) openOffer(text.trim());
          else search(text.trim());
        }}
      >
        <label for="source">{t('finder.findLabel')}</label>
        <div class="row">
          <input
            id="source"
            type="search"
            value={text}
            placeholder="qwen, org/repo, https://…"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            required
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit" class="button primary">
            {t('finder.find')}
          </button>
        </div>
      </form>
      <div>
        {result === null && <StarterList />}
        {result?.kind === 'asking' && (
          <p class="muted pulse" role="status">
            {t('finder.askingFor', { what: result.what })}
          </p>
        )}
        {result?.kind === 'failed' && (
          <p class="problem" role="alert">
            {rich('finder.notFound', { what: <strong>{result.what}</strong> }, { reason: result.message })}
          </p>
        )}
        {result?.kind === 'found' && <Repositories {...result} onOpen={openOffer} />}
        {result?.kind === 'offer' && (
          <Variants offer={result.offer} health={health} onBack={result.before ? back : null} />
        )}
      </div>
    </div>
  );
}

/** Runs one search at a time: the next search aborts the one before. */
function useFinder() {
  const { hub } = useActions();
  const [result, setResult] = useState<Result | null>(null);
  const asking = useRef<AbortController | null>(null);
  useEffect(() => () => asking.current?.abort(), []);
  const ask = async (what: string, question: (signal: AbortSignal) => Promise<Result>) => {
    asking.current?.abort();
    const stopper = new AbortController();
    asking.current = stopper;
    setResult({ kind: 'asking', what });
    const answer = await question(stopper.signal).catch(
      (error: unknown): Result => ({ kind: 'failed', what, message: error instanceof Error ? error.message : '' }),
    );
    if (!stopper.signal.aborted) setResult(answer);
  };
  return {
    result,
    search: (words: string) =>
      void ask(words, async (signal) => ({ kind: 'found', words, found: await hub.search(words, signal) })),
    openOffer: (source: string) => {
      const before = result?.kind === 'found' ? result : null;
      void ask(source, async (signal) => ({ kind: 'offer', offer: await hub.offer(source, signal), before }));
    },
    back: () => setResult(result?.kind === 'offer' ? result.before : null),
  };
}

interface RepositoriesProps {
  words: string;
  found: HubRepository[];
  onOpen: (source: string) => void;
}

function Repositories({ words, found, onOpen }: RepositoriesProps): JSX.Element {
  return (
    <>
      <p class={found.length === 0 ? 'muted' : 'hidden'} role="status">
        {found.length === 0 ? t('finder.nothingNamed', { words }) : t('finder.foundCount', { count: found.length })}
      </p>
      <ul class="found" aria-label={t('finder.found')}>
        {found.map(({ id, downloads, gated }) => (
          <li key={id}>
            <button type="button" class="found-one" onClick={() => onOpen(`hf:${id}`)}>
              <span>{id}</span>
              <span class="muted">
                {[
                  t('finder.downloads', { downloads: localizeCount(downloads, t.tag) }),
                  ...(gated ? [t('finder.gated')] : []),
                ].join(' · ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

const FITS: Record<Exclude<Fit, 'unknown'>, MessageKey> = {
  fits: 'finder.fits',
  full: 'models.fitsAlone',
  'too large': 'finder.tooLarge',
};

interface VariantsProps {
  offer: VariantList;
  health: Health | null;
  /** Goes back to the list of repositories; null if there is none. */
  onBack: (() => void) | null;
}

function Variants({ offer, health, onBack }: VariantsProps): JSX.Element {
  const best = bestOf(offer, health);
  return (
    <section class="variants" aria-label={t('finder.variantsOf', { origin: offer.origin })}>
      <div class="row spread">
        <h4>{offer.origin}</h4>
        {onBack && (
          <button type="button" class="button quiet" onClick={onBack}>
            {t('finder.backToList')}
          </button>
        )}
      </div>
      {offer.data.length === 0 && <p class="muted">{t('finder.noGguf')}</p>}
      <ul class="found">
        {offer.data.map((variant) => (
          <VariantRow
            key={variant.source}
            variant={variant}
            fit={fitOf(variant.size, health)}
            best={variant === best}
          />
        ))}
      </ul>
    </section>
  );
}

function VariantRow({ variant, fit, best }: { variant: Variant; fit: Fit; best: boolean }): JSX.Element {
  const { models } = useActions();
  const { source, quantization, size, projector } = variant;
  const name = quantization ?? source.slice(source.lastIndexOf('/') + 1);
  return (
    <li class="variant">
      <span>
        <strong>{name}</strong>
        {best && <span class="tag strong">{t('models.best')}</span>}
        <span class={fit === 'too large' ? 'problem' : 'muted'}>
          {[
            localizeBytes(size, t.tag),
            ...(projector ? [t('finder.withMedia')] : []),
            ...(fit === 'unknown' ? [] : [t(FITS[fit])]),
          ].join(' · ')}
        </span>
      </span>
      <button
        type="button"
        class={best ? 'button primary' : 'button'}
        aria-label={t('models.pullNamed', { name })}
        onClick={() => void models.pull(source)}
      >
        {t('models.pull')}
      </button>
    </li>
  );
}
