/** What a message says, for each type of content. */
import type { Message } from '@parley/sdk';
import type { ReactElement } from 'react';
import { toFileAddress } from '../../../client.ts';
import { CONTENT_NAMES } from '../../../texts/contents.ts';
import { formatBytes } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import { showsMarks } from '../../../ui/marks.ts';
import { MessageText } from '../../../ui/message-text.tsx';
import styles from './content.module.css';
import { THREAD } from './texts.ts';

export function MessageContent({ message }: { message: Message }): ReactElement {
  return (
    <>
      <Referral message={message} />
      <SpecialContent message={message} />
      {message.content !== null && message.content !== '' && (
        <p className={styles['text']} dir="auto">
          <MessageText text={message.content} hasMarks={showsMarks(message.channel)} />
        </p>
      )}
    </>
  );
}

function SpecialContent({ message }: { message: Message }): ReactElement | null {
  const texts = useTexts(THREAD);
  const contents = useTexts(CONTENT_NAMES);
  switch (message.contentType) {
    case 'TEXT':
      return null;
    case 'IMAGE':
    case 'STICKER':
    case 'AUDIO':
    case 'VIDEO':
    case 'DOCUMENT':
      return <MediaContent message={message} />;
    case 'LOCATION':
      return <Place message={message} />;
    case 'CONTACTS':
      return <Cards message={message} />;
    case 'TEMPLATE':
      return message.media ? (
        <MediaContent message={message} />
      ) : (
        <Kind text={`${contents.TEMPLATE} · ${message.template?.name ?? ''}`} />
      );
    case 'REACTION':
      return message.reaction?.emoji ? (
        <p className={styles['reaction']}>{message.reaction.emoji}</p>
      ) : (
        <Kind text={texts.reactionRemoved} />
      );
    case 'INTERACTIVE':
      return message.interactive?.title && message.interactive.title !== message.content ? (
        <p className={styles['text']} dir="auto">
          {message.interactive.title}
        </p>
      ) : null;
    case 'UNSUPPORTED':
      return <Kind text={contents.UNSUPPORTED} />;
  }
}

/** The advertisement or the post from which the contact has come. A web chat names its page in each message, which is no news. */
function Referral({ message: { referral } }: { message: Message }): ReactElement | null {
  const texts = useTexts(THREAD);
  const { source_type: type, source_url: url, headline } = referral ?? {};
  const title = typeof headline === 'string' && headline !== '' ? headline : url;
  if (typeof title !== 'string' || title === '' || type === 'page') return null;
  return (
    <p className={styles['kind']} dir="auto">
      {texts.cameFrom}: <MessageText text={title} hasMarks={false} />
      {typeof url === 'string' && title !== url && (
        <>
          {' · '}
          <MessageText text={url} hasMarks={false} />
        </>
      )}
    </p>
  );
}

const Kind = ({ text }: { text: string }): ReactElement => <p className={styles['kind']}>{text}</p>;

function MediaContent({ message }: { message: Message }): ReactElement {
  const contents = useTexts(CONTENT_NAMES);
  const { media, contentType } = message;
  const name = media?.fileName ?? contents[contentType];
  if (!media?.url || media.error !== undefined) return <Kind text={media?.error ?? contents[contentType]} />;
  const address = toFileAddress(media.url);
  if (contentType === 'AUDIO')
    return <audio className={styles['audio']} controls preload="none" src={address} aria-label={name} />;
  if (contentType === 'VIDEO')
    return <video className={styles['picture']} controls preload="metadata" src={address} aria-label={name} />;
  if (contentType === 'DOCUMENT' || !isPicture(media.mimeType))
    return <FileLink address={address} name={name} size={media.size} />;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      <img
        className={contentType === 'STICKER' ? styles['sticker'] : styles['picture']}
        src={address}
        alt={name}
        loading="lazy"
      />
    </a>
  );
}

const isPicture = (type: string | null): boolean => type === null || type.startsWith('image/');

function FileLink({ address, name, size }: { address: string; name: string; size: number | null }): ReactElement {
  return (
    <a className={styles['file']} href={address} target="_blank" rel="noreferrer">
      <Icon name="file" />
      <span className={styles['name']} dir="auto">
        {name}
      </span>
      {size !== null && <span className={styles['size']}>{formatBytes(size)}</span>}
    </a>
  );
}

function Place({ message: { location } }: { message: Message }): ReactElement | null {
  const texts = useTexts(THREAD);
  if (!location) return null;
  const { latitude, longitude, name, address } = location;
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
  return (
    <a className={styles['file']} href={map} target="_blank" rel="noreferrer" title={texts.toPlace}>
      <Icon name="place" />
      <span className={styles['name']}>
        {[name, address].filter(Boolean).join(', ') || `${latitude}, ${longitude}`}
      </span>
    </a>
  );
}

interface Card {
  name?: { formatted_name?: string };
  phones?: { phone?: string }[];
}

function Cards({ message: { contacts } }: { message: Message }): ReactElement {
  const cards = (contacts ?? []) as Card[];
  return (
    <ul className={styles['cards']}>
      {cards.map(({ name, phones }, index) => (
        // A card has no id, and the list never changes.
        <li key={index} className={styles['file']}>
          <Icon name="person" />
          <span className={styles['name']} dir="auto">
            {[name?.formatted_name, ...(phones ?? []).map(({ phone }) => phone)].filter(Boolean).join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  );
}
