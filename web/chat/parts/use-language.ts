import { useEffect, useState } from 'preact/hooks';
import { onLanguage, t } from '../messages/language.ts';
import type { Translate } from '../messages/translate.ts';

/** Returns the translation function of the page. The component is drawn again when the language changes. */
export function useLanguage(): Translate {
  const [, setWords] = useState({ t });
  useEffect(() => onLanguage(() => setWords({ t })), []);
  return t;
}
