import type { Conversation } from '@parley/sdk';
import { useEffect, useRef, type ReactElement, type RefObject } from 'react';
import { Link } from 'wouter';
import { readSlaState } from '../../records/conversation-filters.ts';
import { useUserName } from '../../records/company.ts';
import { useContact, useContactName } from '../../records/contacts.ts';
import { CONTACT_FIELDS } from '../../texts/contact-fields.ts';
import { formatListed, formatMoment, formatShort } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { INBOX } from './texts.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ChannelMark } from '../../ui/channel-mark.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LastMessage } from '../../ui/preview.tsx';
import { UnreadBadge } from '../../ui/unread-badge.tsx';
import type { Selection } from '../../ui/bulk/selection.ts';
import { CONVERSATION_CHANGES } from './bulk/texts.ts';
import styles from './conversation-row.module.css';
import { isFromList, returnToComposer } from '../../frame/writing.ts';
import { useBegun, useDraftPlace } from './thread/drafts.ts';
import { Due, Waiting } from './waiting.tsx';
import { PRIORITY_NAMES, STATUS_NAMES } from '../../texts/conversation-states.ts';

interface ConversationRowProps {
  conversation: Conversation;
  view: string;
  selection: Selection<Conversation>;
  isCurrent: boolean;
}

export function ConversationRow({ conversation, view, selection, isCurrent }: ConversationRowProps): ReactElement {
  const texts = useTexts(CONVERSATION_CHANGES);
  const { _id, channel, unread_count } = conversation;
  const name = useContactName(conversation);
  const row = useRowFocus(isCurrent);
  return (
    <div className={styles['place']} data-selected={selection.has(_id)} data-selecting={selection.items.length > 0}>
      <Link
        ref={row}
        href={`/${view}/${_id}`}
        onClick={returnToComposer}
        className={styles['row']}
        aria-current={isCurrent ? 'true' : undefined}
        data-unread={unread_count > 0}
        data-conversation={_id}
      >
        <ChannelMark channel={channel}>
          <Avatar name={name} />
        </ChannelMark>
        <span className={styles['text']}>
          <FirstLine conversation={conversation} name={name} />
          <SecondLine conversation={conversation} isCurrent={isCurrent} />
        </span>
      </Link>
      {selection.isPossible && (
        <label className={styles['pick']}>
          <input
            type="checkbox"
            aria-label={texts.select(name)}
            checked={selection.has(_id)}
            onChange={({ nativeEvent }) => selection.toggle(_id, (nativeEvent as MouseEvent).shiftKey)}
          />
        </label>
      )}
    </div>
  );
}

/** Whom the conversation is with, how urgent it is, and how long the contact has waited, or else when the last message was. */
function FirstLine({ conversation, name }: { conversation: Conversation; name: string }): ReactElement {
  const priorities = useTexts(PRIORITY_NAMES);
  const { blocked } = useTexts(CONTACT_FIELDS);
  const { data: contact } = useContact(conversation.contact);
  const { last_message_at, priority, waiting_since } = conversation;
  // A conversation that is not closed in time.
  const isUrgent = readSlaState(conversation) !== null;
  return (
    <span className={styles['line']}>
      <span className={styles['name']} dir="auto">
        {name}
      </span>
      {contact?.blocked && <Badge tone="danger">{blocked}</Badge>}
      {(priority === 'URGENT' || priority === 'HIGH') && (
        <span
          className={styles['flag']}
          data-priority={priority}
          role="img"
          aria-label={priorities[priority]}
          title={priorities[priority]}
        >
          <Icon name="flag" size={14} />
        </span>
      )}
      {waiting_since && <Waiting conversation={conversation} since={waiting_since} />}
      {!waiting_since && isUrgent && <Due conversation={conversation} />}
      {!waiting_since && !isUrgent && last_message_at && (
        <time className={styles['time']} dateTime={last_message_at} title={formatMoment(last_message_at)}>
          {formatShort(last_message_at)}
        </time>
      )}
    </span>
  );
}

/** What was written last or is not sent yet, with the state of the conversation and its owner. */
function SecondLine({
  conversation,
  isCurrent,
}: Pick<ConversationRowProps, 'conversation' | 'isCurrent'>): ReactElement {
  const states = useTexts(STATUS_NAMES);
  const inbox = useTexts(INBOX);
  const owner = useUserName(conversation.owner);
  const begun = useBegun(useDraftPlace(conversation._id));
  // The composer shows the draft of the open conversation.
  const draft = isCurrent ? null : begun;
  const { unread_count, last_message, status, snoozed_until, woken_at, handled_by } = conversation;
  return (
    <span className={styles['line']}>
      {last_message?.is_failed && (
        <span className={styles['failed']}>
          <Icon name="warning" size={14} /> {inbox.notDelivered}
        </span>
      )}
      {draft !== null && (
        <span className={styles['draft']}>
          <Icon name="edit" size={14} /> {inbox.draft}
        </span>
      )}
      {handled_by === 'AI' && <Badge tone="ai">{inbox.ai}</Badge>}
      <span className={styles['snippet']} dir="auto">
        {/* What the contact has written meanwhile is more important than what was begun before. */}
        {(unread_count === 0 && draft) || <LastMessage conversation={conversation} />}
      </span>
      {woken_at !== null && <Badge tone="warning">{inbox.woken}</Badge>}
      {status !== 'OPEN' && (
        <Badge>{snoozed_until === null ? states[status] : inbox.untilTime(formatListed(snoozed_until))}</Badge>
      )}
      <UnreadBadge count={unread_count} />
      {owner && (
        <span className={styles['owner']} role="img" aria-label={inbox.assignedTo(owner)} title={owner}>
          <Avatar name={owner} size="small" />
        </span>
      )}
    </span>
  );
}

/** Gives the focus to the row that a key of the list has opened, so that the next key and Enter belong to it. */
function useRowFocus(isCurrent: boolean): RefObject<HTMLAnchorElement | null> {
  const row = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    const { activeElement } = document;
    // A row that comes back into view does not take the focus from a field.
    const isFree = !activeElement?.closest('input, textarea');
    if (isCurrent && isFromList() && isFree) row.current?.focus({ preventScroll: true });
  }, [isCurrent]);
  return row;
}
