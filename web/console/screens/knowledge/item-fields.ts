/** Values that texts and files have in common. */
import type { KnowledgeItem } from '@parley/sdk';
import { useTexts } from '../../texts/texts.ts';
import type { Option } from '../../ui/field.tsx';
import { LANGUAGE_NAMES } from './texts.ts';
import { useLanguage } from '../../texts/language.ts';

export type ItemLanguage = KnowledgeItem['language'];
const LANGUAGES = ['pt', 'en', 'es'] as const satisfies ItemLanguage[];

export function useLanguageOptions(): Option<ItemLanguage>[] {
  const names = useTexts(LANGUAGE_NAMES);
  return LANGUAGES.map((value) => ({ value, label: names[value] }));
}

/** The language in which somebody most likely writes: that of the console. */
export function useConsoleLanguage(): ItemLanguage {
  const language = useLanguage();
  return LANGUAGES.find((each) => language.startsWith(each)) ?? 'en';
}

/** Reads tags that are written with commas between them. */
export const readTags = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];
