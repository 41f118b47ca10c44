import { readKept } from '../../browser/store.ts';
import { findLanguage, type Language } from '../../browser/texts.ts';

export const LANGUAGE_KEPT_AS = 'parley.language';

/** Returns the language that was chosen in this browser, else the browser's own if the console has it. */
export const findWantedLanguage = (): Language | undefined =>
  findLanguage([readKept(LANGUAGE_KEPT_AS), ...navigator.languages]);
