/** @jsxImportSource preact */
/** A message of the thread. */
import type { VNode } from 'preact';
import { writeBytes, writeTime } from '../../browser/formats.ts';
import { toFileAddress } from '../address.ts';
import type { ChatMessage } from '../api/types.ts';
import { splitLinks } from '../../browser/links.ts';
import { isOwn } from '../chat/order.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { Icon } from './icon.tsx';
import { Picture } from './picture.tsx';

interface MessageBubbleProps {
  message: ChatMessage;
  /** The first and the last message of this writer in a row. */
  isFirst: boolean;
  isLast: boolean;
  /** What became of the visitor's newest message. */
  state: string | null;
}

export function MessageBubble({ message, isFirst, isLast, state }: MessageBubbleProps): VNode {
  const language = useLanguage();
  const texts = useTexts(TEXTS);
  const { author, content, createdAt, is_revoked, media, location } = message;
  const own = isOwn(message);
  const isOnlyMedia = media !== null && !content;
  return (
    <div class={own ? 'message own' : 'message'}>
      {isFirst && !own && author.name && <Author name={author.name} picture={author.avatar_url} />}
      {own && <span class="unseen">{texts.you}</span>}
      <div class={isOnlyMedia ? 'bubble media' : 'bubble'}>
        {is_revoked ? (
          <p class="quiet">{texts.removed}</p>
        ) : (
          <>
            {media && <Media message={message} />}
            {location && <Place location={location} />}
            {content && <RichText text={content} />}
            {!media && !location && !content && <p class="quiet">{texts.unsupported}</p>}
          </>
        )}
      </div>
      {isLast && (
        <p class="about">
          <time dateTime={createdAt}>{writeTime(language, createdAt)}</time>
          {state !== null && <span> · {state}</span>}
        </p>
      )}
    </div>
  );
}

const Author = ({ name, picture }: { name: string; picture: string | null }): VNode => (
  <p class="author">
    <Picture address={picture} class="face" />
    <span dir="auto">{name}</span>
  </p>
);

/** Links open beside the chat and do not say where they were. */
export const RichText = ({ text }: { text: string }): VNode => (
  <p class="text" dir="auto">
    {splitLinks(text).map((part, index) =>
      typeof part === 'string' ? (
        part
      ) : (
        <a key={index} href={part.href} target="_blank" rel="noopener noreferrer nofollow">
          {part.text}
        </a>
      ),
    )}
  </p>
);

function Media({ message: { contentType, media } }: { message: ChatMessage }): VNode | null {
  const texts = useTexts(TEXTS);
  if (!media) return null;
  // The file could not be stored.
  if (media.url === null) return <p class="quiet">{media.fileName ?? texts.unsupported}</p>;
  const address = toFileAddress(media.url);
  const name = media.fileName;
  const type = media.mimeType ?? '';
  if (contentType === 'AUDIO')
    return <audio class="audio" controls preload="none" src={address} aria-label={name ?? texts.audio} />;
  if (contentType === 'VIDEO')
    return (
      <video class="picture" controls playsInline preload="metadata" src={address} aria-label={name ?? texts.video} />
    );
  if ((contentType !== 'IMAGE' && contentType !== 'STICKER') || !type.startsWith('image/'))
    return <FileLink address={address} name={name ?? texts.file} size={media.size} />;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      <img class={contentType === 'STICKER' ? 'sticker' : 'picture'} src={address} alt={name ?? texts.picture} />
    </a>
  );
}

function FileLink({ address, name, size }: { address: string; name: string; size: number | null }): VNode {
  const language = useLanguage();
  return (
    <a class="file" href={address} target="_blank" rel="noopener noreferrer">
      <Icon name="file" />
      <span class="file-name" dir="auto">
        {name}
      </span>
      {size !== null && <span class="quiet">{writeBytes(language, size)}</span>}
    </a>
  );
}

function Place({ location }: { location: NonNullable<ChatMessage['location']> }): VNode {
  const texts = useTexts(TEXTS);
  const { latitude, longitude, name, address } = location;
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
  return (
    <a class="file" href={map} target="_blank" rel="noopener noreferrer" title={texts.place}>
      <Icon name="place" />
      <span class="file-name" dir="auto">
        {[name, address].filter(Boolean).join(', ') || `${latitude}, ${longitude}`}
      </span>
    </a>
  );
}
