/** The language of the chat: the one that the site has chosen, else the inbox's, else the browser's. */
import { createStore } from '../../browser/store.ts';
import { findLanguage, type Catalogue, type Language, type Texts, type Translation } from '../../browser/texts.ts';
import { useStore } from '../store.ts';

const wanted: { site: string | null; inbox: string | null } = { site: null, inbox: null };
const current = createStore<Language>('en');

function show(): void {
  current.set(findLanguage([wanted.site, wanted.inbox, ...navigator.languages]) ?? 'en');
  document.documentElement.lang = current.get();
}
show();

export function preferLanguage(by: keyof typeof wanted, language: string | null): void {
  wanted[by] = language;
  show();
}

export const getLanguage = (): Language => current.get();
export const useLanguage = (): Language => useStore(current);
export const useTexts = <T extends Catalogue>(texts: Texts<T>): Translation<T> => texts[useLanguage()];
