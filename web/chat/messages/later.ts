import later from './en-later.json';
import { addEnglish } from './translate.ts';

// Parts of the page that are loaded later import this file, so that the first load lacks their messages.
addEnglish(later);
