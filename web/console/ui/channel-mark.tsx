import type { Inbox } from '@parley/sdk';
import type { ReactElement, ReactNode } from 'react';
import { CHANNEL_NAMES } from '../texts/channels.ts';
import styles from './channel-mark.module.css';
import { Icon, type IconName } from './icon.tsx';

const GLYPHS: Readonly<Record<Inbox['channel'], IconName>> = {
  WAP_AUTO_CLOSER: 'handset',
  WEB_V2: 'channel',
  PARTNER_API: 'handset',
  PROFESSIONAL_NETWORK: 'linkedin',
  EMAIL: 'mail',
};

/** The picture of a channel, next to words that name its inbox. */
export function ChannelGlyph({ channel }: { channel: Inbox['channel'] }): ReactElement {
  const name = CHANNEL_NAMES[channel];
  return (
    <span className={styles['glyph']} role="img" aria-label={name} title={name}>
      <Icon name={GLYPHS[channel]} size={14} />
    </span>
  );
}

/** A picture with a disc at its corner that says which channel reaches the person. */
export function ChannelMark({ channel, children }: { channel: Inbox['channel']; children: ReactNode }): ReactElement {
  const name = CHANNEL_NAMES[channel];
  return (
    <span className={styles['place']}>
      {children}
      <span className={styles['disc']} data-channel={channel} role="img" aria-label={name} title={name}>
        <Icon name={GLYPHS[channel]} size={10} />
      </span>
    </span>
  );
}
