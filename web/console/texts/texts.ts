/** The texts of the console in the language that it is shown in. */
import type { Catalogue, Texts, Translation } from '../../browser/texts.ts';
import { getLanguage, useLanguage } from './language.ts';

export { defineTexts } from '../../browser/texts.ts';

/** Returns the texts in the language of the console. The component is shown anew when the language changes. */
export function useTexts<T extends Catalogue>(texts: Texts<T>): Translation<T> {
  return texts[useLanguage()];
}

/** The same outside of components, for example for a notice that appears later. */
export const getTexts = <T extends Catalogue>(texts: Texts<T>): Translation<T> => texts[getLanguage()];
