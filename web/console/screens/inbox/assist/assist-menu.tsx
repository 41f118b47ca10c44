/** The menu of what the model can write into the composer, and the line about what it writes. */
import type { Contact, RewriteAsked } from '@parley/sdk';
import { useEffect, type ReactElement } from 'react';
import { findReturn, returnToComposer } from '../../../frame/writing.ts';
import { draftReply, rewrite, useActs } from '../../../records/assist.ts';
import { useLanguage } from '../../../texts/language.ts';
import { useTexts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { COMMON } from '../../../ui/texts.ts';
import styles from './assist.module.css';
import { ASSIST } from './texts.ts';
import { takeBack, useRunning, useWritten, write } from './writing.ts';

export interface AssistProps {
  conversation: string;
  contact: Contact | null;
  /** The draft, with its text. */
  place: string;
  text: string;
  onText(text: string): void;
}

const LANGUAGES = ['pt-BR', 'en', 'es', 'fr', 'de', 'it'];
const STYLES = [
  ['shorter', 'SHORTER'],
  ['friendlier', 'FRIENDLIER'],
  ['moreFormal', 'MORE_FORMAL'],
  ['fixSpelling', 'FIX_SPELLING'],
] as const;

export function AssistMenu(props: AssistProps): ReactElement {
  const texts = useTexts(ASSIST);
  const items = useItems(props);
  const isBusy = useRunning(props.place) !== null;
  return (
    <Menu
      items={items}
      finalFocus={findReturn}
      trigger={<IconButton icon="sparkle" label={texts.menu} disabled={isBusy || items.length === 0} />}
    />
  );
}

function useItems({ conversation, contact, place, text, onText }: AssistProps): MenuItem[] {
  const texts = useTexts(ASSIST);
  const language = useLanguage();
  const acts = useActs();
  const isEmpty = text.trim() === '';
  const change = (asked: Omit<RewriteAsked, 'text'>): void =>
    void write({
      place,
      before: text,
      ask: async (signal) => ({ ...(await rewrite(conversation, { text, ...asked }, signal)), sources: [] }),
      put: onText,
    });
  const draft = (): void =>
    void write({
      place,
      before: text,
      ask: async (signal) => {
        const { text: drafted, passages } = await draftReply(conversation, signal);
        return { text: drafted, sources: [...new Set(passages.map(({ name }) => name))] };
      },
      put: onText,
    });
  const items: MenuItem[] = [];
  if (acts.includes('DRAFT')) items.push({ key: 'draft', label: texts.draft, icon: 'sparkle', onSelect: draft });
  if (acts.includes('REWRITE') && !isEmpty)
    items.push(
      ...STYLES.map(([key, style]) => ({ key, label: texts[key], onSelect: () => change({ style }) })).map(
        under(texts.rewrite),
      ),
    );
  if (acts.includes('TRANSLATE') && !isEmpty)
    items.push(
      ...listLanguages(contact)
        .map((to) => ({
          key: to,
          label: nameLanguage(to, language),
          onSelect: () => change({ style: 'TRANSLATE', language: to }),
        }))
        .map(under(texts.translateTo)),
    );
  return items;
}

const under =
  (heading: string) =>
  (item: MenuItem, index: number): MenuItem =>
    index === 0 ? { ...item, heading } : item;

/** The language of the contact comes first. */
function listLanguages(contact: Contact | null): string[] {
  const theirs = contact?.language?.replaceAll('_', '-');
  const [begin] = theirs?.split('-') ?? [];
  return theirs ? [theirs, ...LANGUAGES.filter((each) => each.split('-')[0] !== begin)] : LANGUAGES;
}

function nameLanguage(tag: string, language: string): string {
  try {
    const name = new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  } catch {
    // Failure policy: what is no language is shown as it was written.
    return tag;
  }
}

/** Says that the model writes, or that it has written the text, which can be taken back. */
export function AssistLine({ place, text, onText }: AssistProps): ReactElement | null {
  const texts = useTexts(ASSIST);
  const common = useTexts(COMMON);
  const running = useRunning(place);
  const written = useWritten(place, text);
  // Those who go on writing do not want their text replaced.
  useEffect(() => () => running?.abort(), [running, place, text]);
  const act = (label: string, run: () => void): ReactElement => (
    <button
      type="button"
      className={styles['link']}
      onClick={() => {
        run();
        returnToComposer();
      }}
    >
      {label}
    </button>
  );
  const words = written && (written.sources.length > 0 ? texts.basedOn(written.sources.join(', ')) : texts.written);
  return (
    <p className={styles['line']} role="status" hidden={!running && !written}>
      {running ? texts.writing : words}
      {running && act(common.cancel, () => running.abort())}
      {!running && written && act(texts.undo, () => onText(takeBack(place, written)))}
    </p>
  );
}
