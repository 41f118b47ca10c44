/** The contact's other conversations, the newest first. */
import type { Conversation } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useConversations } from '../../../../records/conversations.ts';
import { STATUS_NAMES } from '../../../../texts/conversation-states.ts';
import { formatShort } from '../../../../texts/formats.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Preview } from '../../../../ui/preview.tsx';
import { RecordLink, SectionList } from './section.tsx';
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
        <RecordLink
          href={`/${view}/${_id}`}
          name={last_message ? <Preview message={{ ...last_message, channel }} /> : states[status]}
          about={[states[status], last_message_at && formatShort(last_message_at)].filter(Boolean).join(' · ')}
        />
      )}
    />
  );
}
