/** Who the conversation is with, who answers it, and its state. */
import type { Contact, Conversation } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { askForSearch } from '../../../frame/conversation-dialogs.ts';
import { askToMerge } from '../../../frame/merging.ts';
import { findReturn } from '../../../frame/writing.ts';
import { useTeams } from '../../../records/company.ts';
import { useWaitsOffline } from '../../../records/in-order.ts';
import { useMay } from '../../../session/session.ts';
import { CHANNEL_NAMES } from '../../../texts/channels.ts';
import { formatListed } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { ChannelMark } from '../../../ui/channel-mark.tsx';
import { ContactBadges } from '../../../ui/contact-badges.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { useIsNarrow } from '../../../ui/narrow.ts';
import { COMMON } from '../../../ui/texts.ts';
import { STATUS_NAMES } from '../../../texts/conversation-states.ts';
import { SummaryOf, useSummarizing } from '../assist/assist.tsx';
import { canBeUnread, useMarkUnread } from '../marking.ts';
import { Due } from '../waiting.tsx';
import { AgentBar } from './agent-bar.tsx';
import { DIALOGS } from './dialog-texts.ts';
import { listUnder, ThreadActions } from './thread-actions.tsx';
import styles from './thread-head.module.css';
import { THREAD } from './texts.ts';
import { useTranscripts } from './transcript.ts';

interface ThreadHeadProps {
  conversation: Conversation;
  contact: Contact | null;
  name: string;
  view: string;
  /** The panel about the contact is open. */
  hasDetails: boolean;
  onDetails(): void;
}

export function ThreadHead(props: ThreadHeadProps): ReactElement {
  const { conversation, contact, name, view, hasDetails, onDetails } = props;
  const texts = useTexts(THREAD);
  const common = useTexts(COMMON);
  const states = useTexts(STATUS_NAMES);
  const mayChange = useMay('conversations:update');
  const isNarrow = useIsNarrow();
  const team = useTeams().find(({ _id }) => _id === conversation.team);
  const { snoozed_until } = conversation;
  const isWaiting = useWaitsOffline(conversation._id);
  const more = useMoreItems(conversation, view);
  const details: MenuItem = {
    key: 'details',
    label: texts.details,
    icon: 'contacts',
    isChosen: hasDetails,
    onSelect: onDetails,
  };
  return (
    <header className={styles['container']}>
      <div className={styles['head']}>
        <Link href={`/${view}`} className={styles['back']} aria-label={common.back}>
          <Icon name="back" />
        </Link>
        <ChannelMark channel={conversation.channel}>
          <Avatar name={name} />
        </ChannelMark>
        <div className={styles['about']}>
          <h1 className={styles['name']} dir="auto">
            {name} {contact && <ContactBadges contact={contact} />}
          </h1>
          <p className={styles['line']}>
            {conversation.sla?.due_at && (
              <>
                <Due conversation={conversation} /> ·{' '}
              </>
            )}
            {CHANNEL_NAMES[conversation.channel]} ·{' '}
            {snoozed_until === null ? states[conversation.status] : texts.asideUntil(formatListed(snoozed_until))}
            {team && ` · ${team.name}`}
            <span role="status">{isWaiting && ` · ${texts.waitsOffline}`}</span>
          </p>
        </div>
        {mayChange && <ThreadActions conversation={conversation} more={[details, ...more]} />}
        {!(mayChange && isNarrow) && (
          <>
            <Menu items={more} finalFocus={findReturn} trigger={<IconButton icon="more" label={common.more} />} />
            <IconButton icon="contacts" label={texts.details} isOn={hasDetails} onClick={onDetails} />
          </>
        )}
      </div>
      <AgentBar conversation={conversation} />
      <SummaryOf conversation={conversation._id} />
    </header>
  );
}

/** What is done with a conversation now and then. */
function useMoreItems(conversation: Conversation, view: string): MenuItem[] {
  const texts = useTexts(THREAD);
  const dialogs = useTexts(DIALOGS);
  const [mayChange, maySearch] = [useMay('conversations:update'), useMay('messages:read')];
  const summarizing = useSummarizing(conversation);
  const transcripts = useTranscripts(conversation._id);
  const merge: MenuItem = {
    key: 'merge',
    label: texts.mergeInto,
    icon: 'merge',
    onSelect: () => askToMerge(conversation),
  };
  const search: MenuItem = {
    key: 'search',
    label: dialogs.searchHere,
    icon: 'search',
    onSelect: () => askForSearch(conversation._id),
  };
  const markUnread = useMarkUnread(view, conversation._id);
  const unread: MenuItem = {
    key: 'unread',
    label: texts.markUnread,
    icon: 'unread',
    onSelect: () => markUnread(conversation),
  };
  return [
    ...(mayChange && canBeUnread(conversation) ? [unread] : []),
    ...(maySearch ? [search] : []),
    ...(summarizing ? [summarizing] : []),
    ...(mayChange ? [merge] : []),
    ...listUnder(transcripts),
  ];
}
