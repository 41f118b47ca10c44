/** What a row of a thread shows. */
import type { Conversation, Message } from '@parley/sdk';
import { Suspense, type ReactElement } from 'react';
import { formatDay } from '../../../texts/formats.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { ConversationLine } from './earlier.tsx';
import { HistoryLine } from './history-line.tsx';
import styles from './message-list.module.css';
import { MessageBubble } from './message.tsx';
import { NewLine } from './news.tsx';
import { OutgoingBubble } from './outgoing.tsx';
import type { ThreadRow } from './rows.ts';

const ScheduledBubble = lazyPart(async () => (await import('./scheduled.tsx')).ScheduledBubble);

interface RowContentProps {
  row: ThreadRow | undefined;
  conversation: Conversation;
  /** The name of the contact. */
  contact: string;
  onReply(message: Message): void;
}

export function RowContent({ row, conversation, contact, onReply }: RowContentProps): ReactElement | null {
  switch (row?.kind) {
    case undefined:
      return null;
    case 'day':
      return <h2 className={styles['day']}>{formatDay(row.at)}</h2>;
    case 'new':
      return <NewLine />;
    case 'conversation':
      return <ConversationLine conversation={row.conversation} />;
    case 'message':
      return (
        <MessageBubble
          contact={contact}
          onReply={row.isEarlier ? null : onReply}
          message={row.message}
          reactions={row.reactions}
          follows={row.follows}
        />
      );
    case 'history':
      return <HistoryLine entry={row.entry} />;
    case 'outgoing':
      return <OutgoingBubble outgoing={row.outgoing} />;
    case 'scheduled':
      return (
        <Suspense>
          <ScheduledBubble scheduled={row.scheduled} conversation={conversation} />
        </Suspense>
      );
  }
}
