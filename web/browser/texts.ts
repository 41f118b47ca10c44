/**
 * Catalogues of texts. A part of a page declares its texts in all languages at once; a text that is missing in one of them does not
 * compile. A text with a value in it is a function.
 */

export const LANGUAGES = ['pt-BR', 'en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Returns the first wanted language that there is, however its region is written. */
export function findLanguage(wanted: readonly (string | null | undefined)[]): Language | undefined {
  for (const each of wanted) {
    const [part] = (each ?? '').toLowerCase().split('-');
    const found = LANGUAGES.find((language) => language.toLowerCase().startsWith(part || 'none'));
    if (found) return found;
  }
  return undefined;
}

type Text = string | ((...values: never[]) => string);
export type Catalogue = Readonly<Record<string, Text>>;
/** The same texts in another language. */
export type Translation<T> = { readonly [Key in keyof T]: T[Key] extends string ? string : T[Key] };
export type Texts<T extends Catalogue> = Readonly<Record<Language, Translation<T>>>;

export const defineTexts = <T extends Catalogue>(
  en: T,
  others: { 'pt-BR': Translation<NoInfer<T>>; es: Translation<NoInfer<T>> },
): Texts<T> =>
  // A catalogue has the form of its own translation.
  ({ en, ...others }) as Texts<T>;
