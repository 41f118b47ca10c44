/** The contact's other conversations, the newest first. */
import type { Conversation } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useConversations } from '../../../../records/conversations.ts';
import { STATUS_NAMES } from '../../../../texts/conversation-states.ts';
import { formatShort } from '../../../../texts/formats.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Preview } from '../../../../ui/preview.tsx';
import styles from './panel.module.css';
import { SectionList } from './section.tsx';
import { PANEL } from './texts.ts';

export function Others({ conversation, view }: { conversation: Conversation; view: string }): ReactElement {
  const texts = useTexts(PANEL);
  const states = useTexts(STATUS_NAMES);
  const feed = useConversations({ contact: conversation.contact });
  const others = feed.items.filter(({ _id }) => _id !== conversation._id);
  return (
    <SectionList
      feed={{ ...feed, items: others }}
      empty={texts.noOthers}
      render={({ _id, status, channel, last_message, last_message_at }) => (
        <Link href={`/${view}/${_id}`} className={styles['other']}>
          <span className={styles['text']} dir="auto">
            {last_message ? <Preview message={{ ...last_message, channel }} /> : states[status]}
          </span>
          <span className={styles['soft']}>
            {states[status]}
            {last_message_at && ` · ${formatShort(last_message_at)}`}
          </span>
        </Link>
      )}
    />
  );
}
