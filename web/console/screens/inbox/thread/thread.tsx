/** One conversation: its head, its messages and the composer. */
import type { Message } from '@parley/sdk';
import { useEffect, useState, type ReactElement } from 'react';
import { announcePresence } from '../../../live/presence.ts';
import { nameContact, useContact } from '../../../records/contacts.ts';
import { markAsRead, useConversation } from '../../../records/conversations.ts';
import { useThread } from '../../../records/messages.ts';
import { Failure, Loading } from '../../../ui/state.tsx';
import { useTitle } from '../../../ui/title.ts';
import { keep, readKept } from '../../../store.ts';
import { returnToComposer } from '../../../frame/writing.ts';
import { Composer } from './composer.tsx';
import { Panel } from './panel.tsx';
import { MessageList } from './message-list.tsx';
import { ThreadHead } from './thread-head.tsx';
import styles from './thread.module.css';

const DETAILS_KEPT_AS = 'parley.details';

export function Thread({ id, view }: { id: string; view: string }): ReactElement {
  const { data: conversation, error } = useConversation(id);
  const feed = useThread(id);
  const { data: contact = null } = useContact(conversation?.contact ?? '');
  const [replyTo, setReplyTo] = useState<Message | null>(null);
  const reply = (message: Message | null): void => {
    // A copy, so that the same message begins a reply again.
    setReplyTo(message && { ...message });
    returnToComposer();
  };
  const [hasDetails, showDetails] = useState(readKept(DETAILS_KEPT_AS) !== null);
  const name = contact ? nameContact(contact) : '…';
  useTitle(name);
  usePresence(id);
  useReading(id, conversation?.unread_count ?? 0);
  if (error)
    return (
      <section data-writing>
        <Failure error={error} />
      </section>
    );
  if (!conversation) return <Loading />;
  return (
    <section className={styles['thread']} aria-label={name} data-details={hasDetails} data-writing>
      <ThreadHead
        {...{ conversation, name, view, hasDetails }}
        onDetails={() => {
          showDetails(!hasDetails);
          keep(DETAILS_KEPT_AS, hasDetails ? null : 'open');
          returnToComposer();
        }}
      />
      <MessageList conversation={id} feed={feed} contact={name} onReply={reply} />
      <Composer conversation={conversation} contact={contact} replyTo={replyTo} onReplyDone={() => reply(null)} />
      {hasDetails && <Panel conversation={conversation} contact={contact} view={view} />}
    </section>
  );
}

/** Shows the others that this user views the conversation, for as long as it is open here. */
function usePresence(id: string): void {
  useEffect(() => {
    announcePresence(id, 'VIEWING');
    return () => announcePresence(id, 'AWAY');
  }, [id]);
}

/** Marks messages as read once somebody looks at them. */
function useReading(id: string, unread: number): void {
  useEffect(() => {
    if (unread === 0) return undefined;
    const read = (): void => {
      if (document.visibilityState !== 'visible') return;
      // Failure policy: what could not be marked stays unread, and is marked when the next message arrives or the conversation is opened.
      markAsRead(id).catch(() => undefined);
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [id, unread]);
}
