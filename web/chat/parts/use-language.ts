import { useEffect, useState } from 'preact/hooks';
import { onLanguage, t } from '../messages/language.ts';
import type { Translate } from '../messages/translate.ts';

/** Returns the words of the page. The component that calls this is drawn again in another language. */
export function useLanguage(): Translate {
  const [, setWords] = useState({ t });
  useEffect(() => onLanguage(() => setWords({ t })), []);
  return t;
}
