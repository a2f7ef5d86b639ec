import type { ListedModel } from '../../../src/contract/models/model.ts';
import type { ShownConversation, Turn, UserTurn } from '../conversation/conversation.ts';
import { localizeList } from '../messages/numbers.ts';
import type { Translate } from '../messages/translate.ts';
import { wordsOf } from './words.ts';

/** The text of a message that had only pictures or recordings which its model can't take. */
const NOTHING_LEFT = '(There was an attachment here, which this model can not read.)';

/**
 * Returns the conversation as the model gets it: with the summary of left-out turns in the system prompt, and without
 * these turns and the pictures and recordings that the model does not take.
 */
export function asSent(conversation: ShownConversation, model: ListedModel): ShownConversation {
  const { settings, turns } = conversation;
  // To continue a reply above the cut, the model gets all turns before that reply.
  const leftOut = conversation.leftOut && conversation.leftOut.turns < turns.length ? conversation.leftOut : undefined;
  const summary = leftOut?.summary?.trim() ?? '';
  const own = settings.system.trim() === '' ? (model.settings.system_prompt ?? '') : settings.system;
  const said = `Summary of what was said before:\n${summary}`;
  return {
    ...conversation,
    settings: summary === '' ? settings : { ...settings, system: own === '' ? said : `${own}\n\n${said}` },
    turns: turns.slice(leftOut?.turns ?? 0).map((turn) => withoutForeign(turn, model)),
  };
}

/** Returns a note, for people, on the attachments that the model does not get; null if it gets all of them. */
export function mediaNote(
  { images, recordings = [] }: UserTurn,
  model: ListedModel | undefined,
  t: Translate,
): string | null {
  if (!model) return null;
  const { vision, audio } = model.capabilities;
  const missing = [
    ...(images.length > 0 && !vision ? [t('files.thePictures', { count: images.length })] : []),
    ...(recordings.length > 0 && !audio ? [t('files.theRecordings', { count: recordings.length })] : []),
  ];
  return missing.length === 0 ? null : t('files.leftOut', { model: model.name, what: localizeList(missing, t.tag) });
}

function withoutForeign(turn: Turn, { capabilities: { vision, audio } }: ListedModel): Turn {
  if (turn.role !== 'user') return turn;
  const { recordings = [], ...said } = turn;
  const images = vision ? turn.images : [];
  const heard = audio ? recordings : [];
  const isEmptied = wordsOf(turn) === '' && images.length + heard.length < turn.images.length + recordings.length;
  const text = isEmptied && images.length + heard.length === 0 ? NOTHING_LEFT : turn.text;
  return { ...said, text, images, ...(heard.length > 0 && { recordings: heard }) };
}
