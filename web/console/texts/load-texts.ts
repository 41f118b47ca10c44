import type { Language } from '../../browser/texts.ts';

/** Loads the texts of the first load in a language. In a build, web/split-texts.ts replaces this module; without one, all languages are there. */
export const loadTexts = (_language: Language): Promise<void> => Promise.resolve();
