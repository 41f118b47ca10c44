/** The network's words for its templates, in the language of the console. A word that the console does not know is shown as it is. */
import type { Template } from '@parley/sdk';
import { useTexts } from '../../texts/texts.ts';
import type { Tone } from '../badge.tsx';
import { TEMPLATE_WORDS } from './texts.ts';

type Word = keyof (typeof TEMPLATE_WORDS)['en'];
const isKnown = (word: string): word is Word => Object.hasOwn(TEMPLATE_WORDS.en, word);

export function useTemplateWords(): (word: string) => string {
  const words = useTexts(TEMPLATE_WORDS);
  return (word) => (isKnown(word) ? words[word] : word);
}

export function findTone({ status }: Template): Tone {
  if (status === 'APPROVED') return 'good';
  if (status === 'REJECTED' || status === 'DISABLED') return 'danger';
  return status === 'PENDING' || status === 'PAUSED' ? 'warning' : 'plain';
}
