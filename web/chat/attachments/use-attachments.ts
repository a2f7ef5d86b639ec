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
  /** What is being done with files of the draft: they are read, or recordings are written down. Null if nothing is. */
  work: Work | null;
  attach: (files: File[]) => void;
  /** Attaches a pasted text as a file. */
  attachText: (text: string) => void;
  /** Has a model write down what is said in a recording, and adds the text to the draft. */
  dictate: (recording: Blob, model: ListedModel, attachment?: Attachment) => void;
  remove: (attachment: Attachment) => void;
  /** Shows the reason why nothing was attached. */
  refuse: (problem: string) => void;
  clear: () => void;
}

/** The message of a work that takes a while. */
type Work = 'message.readingFiles' | 'message.writingDown';

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
  /** The works under way, of all drafts. */
  const [works, setWorks] = useState<{ key: string; work: Work }[]>([]);
  useEffect(() => setRefused(NONE_REFUSED), [key]);
  // Another conversation may be open when the files are read, so the key of the draft is fixed here.
  const during = async (work: Work, problemsOf: () => Promise<string[]>) => {
    const begun = { key, work };
    setWorks((works) => [...works, begun]);
    const problems = await problemsOf();
    setWorks((works) => works.filter((one) => one !== begun));
    setRefused({ key, problems });
  };
  const attach = (files: File[]) =>
    during('message.readingFiles', async () => {
      const { attachments, problems } = await readFiles(files, model);
      if (attachments.length > 0) drafts.attach(key, attachments);
      return problems;
    });
  const remove = (attachment: Attachment) => {
    drafts.detach(key, attachment);
    setRefused(NONE_REFUSED);
  };
  const dictate = (recording: Blob, hearer: ListedModel, attachment?: Attachment) =>
    during('message.writingDown', async () => {
      try {
        const text = await drafts.dictate(key, hearer.id, recording);
        if (text === '') return [t('message.noWords', { model: hearer.name })];
        if (attachment) drafts.detach(key, attachment);
        return [];
      } catch (error) {
        return [(error as Error).message];
      }
    });
  return {
    attachments,
    problems: refused.key === key ? refused.problems : [],
    misfit: known ? unfit(attachments, model, t) : null,
    work: works.find((one) => one.key === key)?.work ?? null,
    attach: (files) => void attach(files),
    attachText: (text) => {
      const names = attachments.flatMap((one) => (one.kind === 'text' ? [one.file.name] : []));
      const file = pastedFile(text, names, t);
      const isTooLong = file.text.length > TEXT_LIMITS.characters;
      if (!isTooLong) drafts.attach(key, [{ kind: 'text', file, pasted: true }]);
      setRefused({ key, problems: isTooLong ? [tooLong(file.name, t)] : [] });
    },
    dictate: (recording, hearer, attachment) => void dictate(recording, hearer, attachment),
    remove,
    refuse: (problem) => setRefused({ key, problems: [problem] }),
    clear: () => setRefused(NONE_REFUSED),
  };
}
