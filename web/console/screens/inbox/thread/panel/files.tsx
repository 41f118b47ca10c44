/** The files that were exchanged with the contact, in all conversations. */
import type { Message } from '@parley/sdk';
import type { ReactElement } from 'react';
import { toFileAddress } from '../../../../client.ts';
import { useContactFiles } from '../../../../records/contact-files.ts';
import { CONTENT_NAMES } from '../../../../texts/contents.ts';
import { formatBytes, formatShort } from '../../../../texts/formats.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Icon, type IconName } from '../../../../ui/icon.tsx';
import styles from './panel.module.css';
import { SectionList } from './section.tsx';
import { PANEL } from './texts.ts';

export function Files({ contact }: { contact: string }): ReactElement {
  const texts = useTexts(PANEL);
  return (
    <SectionList
      feed={useContactFiles(contact)}
      empty={texts.noFiles}
      render={(message) => <FileLink message={message} />}
    />
  );
}

const ICONS: Partial<Record<Message['contentType'], IconName>> = { AUDIO: 'microphone', VIDEO: 'play' };

function FileLink({ message: { media, contentType, createdAt } }: { message: Message }): ReactElement {
  const contents = useTexts(CONTENT_NAMES);
  const name = media?.fileName ?? contents[contentType];
  const facts = [media?.size ? formatBytes(media.size) : null, formatShort(createdAt)].filter(Boolean).join(' · ');
  const inside = (
    <>
      <Icon name={ICONS[contentType] ?? 'file'} size={16} />
      <span className={styles['text']} dir="auto">
        {name}
      </span>
      <span className={styles['end']}>{media?.error ?? facts}</span>
    </>
  );
  if (!media?.url || media.error !== undefined) return <span className={styles['item']}>{inside}</span>;
  return (
    <a className={styles['item']} href={toFileAddress(media.url)} target="_blank" rel="noreferrer">
      {inside}
    </a>
  );
}
