/** The language that the console is shown in: the one that was chosen here, else the browser's, else the user's. */
import type { Language } from '../../browser/texts.ts';
import { createStore, keep, useStore } from '../store.ts';
import { loadTexts } from './load-texts.ts';
import { findWantedLanguage, LANGUAGE_KEPT_AS } from './wanted-language.ts';

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  'pt-BR': 'Português',
  en: 'English',
  es: 'Español',
};

const current = createStore<Language>(findWantedLanguage() ?? 'en');
const markLanguage = (): void => void (document.documentElement.lang = current.get());
current.follow(markLanguage);
markLanguage();

export const useLanguage = (): Language => useStore(current);
export const getLanguage = (): Language => current.get();

let wanted = current.get();

/** Shows the language once its texts are there. */
function showLanguage(language: Language): void {
  wanted = language;
  const show = (): void => {
    if (wanted === language) current.set(language);
  };
  // Failure policy: if they do not load, the page keeps its language; the next load of the page asks for the chosen one.
  loadTexts(language).then(show, () => undefined);
}

export function chooseLanguage(language: Language): void {
  keep(LANGUAGE_KEPT_AS, language);
  showLanguage(language);
}

/** Shows the language of the user's record, unless another was chosen in this browser or the browser's own is one of ours. */
export function preferLanguage(language: Language): void {
  if (findWantedLanguage() === undefined) showLanguage(language);
}
