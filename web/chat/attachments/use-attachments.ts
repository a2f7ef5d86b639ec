import { useEffect, useState } from 'preact/hooks';
import type { ListedModel } from '../../../src/contract/models/model.ts';
import { t } from '../messages/language.ts';
import { useActions } from '../state/use-actions.ts';
import { readFiles } from './attach.ts';
import { type Attachment, unfit } from './attachments.ts';
import { pastedFile, TEXT_LIMITS, tooLong } from './text-file.ts';

/** The attachments of a draft. */
export interface DraftAttachments {
  attachments: Attachment[];
  /** The reasons, for people, why files were refused. */
  problems: string[];
  /** The reason, for people, why the model can't take the attachments; null if it can. */
  misfit: string | null;
  /** True while files are being read. */
  reading: boolean;
  attach: (files: File[]) => void;
  /** Attaches a pasted text as a file. */
  attachText: (text: string) => void;
  remove: (attachment: Attachment) => void;
  /** Shows the reason why nothing was attached. */
  refuse: (problem: string) => void;
  clear: () => void;
}

/** The reasons why files were refused for a draft. */
interface Refused {
  key: string;
  problems: string[];
}

const NONE_REFUSED: Refused = { key: '', problems: [] };

/**
 * Returns the attachments of the draft with this key. `known` is true once the list of models was fetched: before that,
 * no attachment is refused.
 */
export function useAttachments(
  key: string,
  attachments: Attachment[],
  known: boolean,
  model: ListedModel | undefined,
): DraftAttachments {
  const { drafts } = useActions();
  const [refused, setRefused] = useState(NONE_REFUSED);
  /** The keys of the drafts for which files are being read, one entry for each selection of files. */
  const [reading, setReading] = useState<string[]>([]);
  useEffect(() => setRefused(NONE_REFUSED), [key]);
  // Another conversation may be open when the files are read, so the key of the draft is fixed here.
  const attach = async (files: File[]) => {
    setReading((keys) => [...keys, key]);
    const { attachments, problems } = await readFiles(files, model);
    setReading((keys) => keys.toSpliced(keys.indexOf(key), 1));
    if (attachments.length > 0) drafts.attach(key, attachments);
    setRefused({ key, problems });
  };
  return {
    attachments,
    problems: refused.key === key ? refused.problems : [],
    misfit: known ? unfit(attachments, model, t) : null,
    reading: reading.includes(key),
    attach: (files) => void attach(files),
    attachText: (text) => {
      const names = attachments.flatMap((one) => (one.kind === 'text' ? [one.file.name] : []));
      const file = pastedFile(text, names, t);
      const isTooLong = file.text.length > TEXT_LIMITS.characters;
      if (!isTooLong) drafts.attach(key, [{ kind: 'text', file, pasted: true }]);
      setRefused({ key, problems: isTooLong ? [tooLong(file.name, t)] : [] });
    },
    remove: (attachment) => {
      drafts.write({ attachments: attachments.filter((one) => one !== attachment) });
      setRefused(NONE_REFUSED);
    },
    refuse: (problem) => setRefused({ key, problems: [problem] }),
    clear: () => setRefused(NONE_REFUSED),
  };
}
