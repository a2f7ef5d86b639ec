import { IMAGE_TITLE, RECORDING_TITLE, UNTITLED } from '../conversation/conversation.ts';
import { t } from './language.ts';
import type { Key } from './translate.ts';

const NOT_GIVEN: Record<string, Key> = {
  [UNTITLED]: 'chats.new',
  [IMAGE_TITLE]: 'chats.image',
  [RECORDING_TITLE]: 'chats.recording',
};

/** The title of a conversation as people read it. One that nobody has given is in the language of the page. */
export function shownTitle(title: string): string {
  const key = NOT_GIVEN[title];
  return key ? t(key) : title;
}
