/** One conversation: its head, its messages and the composer. */
import type { Conversation, Message } from '@parley/sdk';
import { Suspense, useEffect, useRef, useState, type ReactElement } from 'react';
import { showViewing } from '../../../live/presence.ts';
import { nameContact, nameSummary, useContact } from '../../../records/contacts.ts';
import { markAsRead, useConversation } from '../../../records/conversations.ts';
import { useThread } from '../../../records/messages.ts';
import { useMay } from '../../../session/session.ts';
import { lazyPart, LoadingPart } from '../../../ui/lazy-part.tsx';
import { Failure, Loading } from '../../../ui/state.tsx';
import { useTitle } from '../../../ui/title.ts';
import { returnToComposer } from '../../../frame/writing.ts';
import { useDetails } from '../details.ts';
import { Composer } from './composer.tsx';
import { useDraftPlace, useQuote } from './drafts.ts';
import { MessageList, useWanted } from './message-list.tsx';
import { ThreadHead } from './thread-head.tsx';
import styles from './thread.module.css';

const Panel = lazyPart(async () => (await import('./panel/panel.tsx')).Panel);

export function Thread({ id, view }: { id: string; view: string }): ReactElement {
  const { data: conversation, error } = useConversation(id);
  const feed = useThread(id);
  const { data: contact = null } = useContact(conversation?.contact ?? '');
  const [replyTo, setReplyTo] = useQuote(useDraftPlace(id));
  const reply = (message: Message): void => {
    // A copy, so that the same message begins a reply again.
    setReplyTo({ ...message });
    returnToComposer();
  };
  const details = useDetails();
  const toggleDetails = (): void => {
    details.toggle();
    returnToComposer();
  };
  const summary = conversation && nameSummary(conversation.contact_summary);
  const name = contact ? nameContact(contact) : (summary ?? '…');
  useTitle(name);
  useEffect(() => showViewing(id), [id]);
  const wanted = useWanted();
  const [seenFrom, setSeenFrom] = useState<string | null>(null);
  // A conversation that is opened at an old message is read once its end was in view.
  const hasSeenEnd = wanted === seenFrom || wanted === null;
  useReading(id, hasSeenEnd ? conversation : undefined);
  if (error)
    return (
      <section data-writing>
        <Failure error={error} />
      </section>
    );
  if (!conversation) return <Loading />;
  return (
    <section
      className={styles['thread']}
      aria-label={name}
      data-details={details.isOpen && (details.isBeside ? 'beside' : 'above')}
      data-writing
    >
      <ThreadHead {...{ conversation, contact, name, view }} hasDetails={details.isOpen} onDetails={toggleDetails} />
      <MessageList
        conversation={conversation}
        feed={feed}
        contact={name}
        onReply={reply}
        onEnd={hasSeenEnd ? null : () => setSeenFrom(wanted)}
      />
      <Composer conversation={conversation} contact={contact} replyTo={replyTo} onReplyDone={() => setReplyTo(null)} />
      {details.isOpen && (
        <Suspense fallback={<LoadingPanel />}>
          <Panel {...{ conversation, contact, name, view }} isBeside={details.isBeside} onClose={toggleDetails} />
        </Suspense>
      )}
    </section>
  );
}

/** Shown while the panel is loading. */
const LoadingPanel = (): ReactElement => (
  <aside>
    <LoadingPart />
  </aside>
);

/**
 * Marks messages as read, and a conversation that came back from a snooze as seen, once somebody looks at them. One that a user marks as unread
 * while it is open here stays so until somebody looks at the page again.
 */
function useReading(id: string, conversation: Conversation | undefined): void {
  const { unread_count = 0, woken_at = null, last_inbound_at = null, last_message } = conversation ?? {};
  const mayMark = useMay('conversations:update');
  const unread = unread_count + (woken_at ? 1 : 0);
  const news = `${last_message?._id} ${last_inbound_at} ${woken_at}`;
  const seen = useRef<string | null>(null);
  useEffect(() => {
    const isMarked = seen.current === news;
    if (conversation) seen.current = news;
    if (unread === 0 || !mayMark) return undefined;
    const read = (): void => {
      if (document.visibilityState !== 'visible') return;
      // Failure policy: what could not be marked stays unread, and is marked when the next message arrives or the conversation is opened.
      markAsRead(id).catch(() => undefined);
    };
    if (!isMarked) read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
    // Other changes of the conversation make nothing unread.
  }, [id, unread, news, conversation === undefined, mayMark]);
}
