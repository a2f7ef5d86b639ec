import { IMAGE_TITLE, RECORDING_TITLE, UNTITLED } from '../conversation/conversation.ts';
import { t } from './language.ts';
import type { MessageKey } from './translate.ts';

const NOT_GIVEN: Record<string, MessageKey> = {
  [UNTITLED]: 'chats.new',
  [IMAGE_TITLE]: 'chats.image',
  [RECORDING_TITLE]: 'chats.recording',
};

/** Returns the title of a conversation for display. A default title is translated to the language of the page. */
export function shownTitle(title: string): string {
  const key = NOT_GIVEN[title];
  return key ? t(key) : title;
}
