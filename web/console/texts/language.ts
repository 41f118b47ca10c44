/** The language that the console is shown in: the one that was chosen here, else the browser's, else the user's. */
import { findLanguage, type Language } from '../../browser/texts.ts';
import { createStore, keep, readKept, useStore } from '../store.ts';

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  'pt-BR': 'Português',
  en: 'English',
  es: 'Español',
};

const KEPT_AS = 'parley.language';

const current = createStore<Language>(findLanguage([readKept(KEPT_AS), ...navigator.languages]) ?? 'en');
const showLanguage = (): void => void (document.documentElement.lang = current.get());
current.follow(showLanguage);
showLanguage();

export const useLanguage = (): Language => useStore(current);
export const getLanguage = (): Language => current.get();

export function chooseLanguage(language: Language): void {
  keep(KEPT_AS, language);
  current.set(language);
}

/** Shows the language of the user's record, unless another was chosen in this browser or the browser's own is one of ours. */
export function preferLanguage(language: Language): void {
  if (findLanguage([readKept(KEPT_AS), ...navigator.languages]) === undefined) current.set(language);
}
