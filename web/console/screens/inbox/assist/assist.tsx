/** The places of the inbox where a model writes for the user. What they show is loaded when the company allows it. */
import type { Conversation, Message } from '@parley/sdk';
import { Suspense, type ReactElement } from 'react';
import { summarize, translateMessage, useActs, type Act } from '../../../records/assist.ts';
import { useTexts } from '../../../texts/texts.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import type { MenuItem } from '../../../ui/menu.tsx';
import type { AssistProps } from './assist-menu.tsx';
import { hide, read, useReading } from './reading.ts';
import { ASSIST } from './texts.ts';
import { takeBack, useWritten } from './writing.ts';

const Menu = lazyPart(async () => (await import('./assist-menu.tsx')).AssistMenu);
const Line = lazyPart(async () => (await import('./assist-menu.tsx')).AssistLine);
const ShownText = lazyPart(async () => (await import('./shown-text.tsx')).ShownText);

const WRITING: readonly Act[] = ['DRAFT', 'REWRITE', 'TRANSLATE'];
const useWrites = (): boolean => useActs().some((act) => WRITING.includes(act));

/** The menu in the bar of the composer, and the line above the bar. */
export const WritingMenu = (props: AssistProps): ReactElement | null =>
  useWrites() ? (
    <Suspense>
      <Menu {...props} />
    </Suspense>
  ) : null;

export const WritingLine = (props: AssistProps): ReactElement | null =>
  useWrites() ? (
    <Suspense>
      <Line {...props} />
    </Suspense>
  ) : null;

/** Returns what puts back what the composer had before the model wrote into it; null when the text has changed since then. */
export function useUndoWritten({ place, text, onText }: Pick<AssistProps, 'place' | 'text' | 'onText'>) {
  const written = useWritten(place, text);
  return written && (() => onText(takeBack(place, written)));
}

/** Returns what summarizes the conversation; null where the company does not allow it. */
export function useSummarizing({ _id }: Conversation): MenuItem | null {
  const texts = useTexts(ASSIST);
  if (!useActs().includes('SUMMARIZE')) return null;
  const onSelect = (): void => void read(_id, (signal) => summarize(_id, signal));
  return { key: 'summarize', label: texts.summarize, icon: 'sparkle', onSelect };
}

/** Returns what translates the message, or hides its translation; null where there is nothing to translate. */
export function useTranslating({ _id, content, revoked_at, edited_at }: Message): MenuItem | null {
  const texts = useTexts(ASSIST);
  const key = keyOf({ _id, edited_at });
  const reading = useReading(key);
  const may = useActs().includes('TRANSLATE');
  if (!may || !content || revoked_at !== null) return null;
  return reading
    ? { key: 'translate', label: texts.hideTranslation, icon: 'sparkle', onSelect: () => hide(key) }
    : {
        key: 'translate',
        label: texts.translate,
        icon: 'sparkle',
        onSelect: () => void read(key, (signal) => translateMessage(_id, signal)),
      };
}

export const SummaryOf = ({ conversation }: { conversation: string }): ReactElement | null => (
  <Shown id={conversation} kind="SUMMARY" />
);

export const TranslationOf = ({ message }: { message: Message }): ReactElement | null => (
  <Shown id={keyOf(message)} kind="TRANSLATION" />
);

/** A translation belongs to the text of a message, which its sender can edit. */
const keyOf = ({ _id, edited_at }: Pick<Message, '_id' | 'edited_at'>): string => `${_id} ${edited_at}`;

function Shown({ id, kind }: { id: string; kind: 'SUMMARY' | 'TRANSLATION' }): ReactElement | null {
  const reading = useReading(id);
  return reading ? (
    <Suspense>
      <ShownText {...{ id, reading, kind }} />
    </Suspense>
  ) : null;
}
