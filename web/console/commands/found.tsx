/** What the platform finds: contacts, conversations and messages. */
import type { CallOptions, Conversation, Message } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../client.ts';
import { useVisibleScreens } from '../frame/screens.ts';
import { nameContact, showReach, useContactName } from '../records/contacts.ts';
import { findMessages } from '../records/messages.ts';
import { useMay } from '../session/session.ts';
import { CHANNEL_NAMES } from '../texts/channels.ts';
import { formatShort } from '../texts/formats.ts';
import { useTexts } from '../texts/texts.ts';
import { Preview } from '../ui/preview.tsx';
import type { EntryGroup } from './entries.ts';
import { SEARCH } from './texts.ts';

/** A search begins when nobody has typed for this long. */
const TYPED_MS = 200;
const SHORTEST = 2;
const MOST = 5;

interface Found {
  groups: EntryGroup[];
  /** True while what is shown does not belong to the text yet. */
  isSearching: boolean;
  error: Error | null;
}

export function useFound(typed: string): Found {
  const texts = useTexts(SEARCH);
  const [, navigate] = useLocation();
  const search = useSettled(typed.trim());
  const hasContacts = useVisibleScreens().some(({ name }) => name === 'contacts');
  const page = { search, limit: MOST, skipCount: true };
  const contacts = useHits(hasContacts, ['contacts', search], (call) => parley.contacts.list(page, call));
  const mayConverse = useMay('conversations:read');
  const conversations = useHits(mayConverse, ['conversations', search], (call) =>
    parley.conversations.list({ ...page, sort: '-last_message_at' }, call),
  );
  const mayMessages = useMay('messages:read') && mayConverse;
  const messages = useHits(mayMessages, ['messages', search], (call) => findMessages(page, call));
  const open = (path: string) => (): void => navigate(path);
  return {
    isSearching:
      typed.trim().length >= SHORTEST &&
      (typed.trim() !== search || [contacts, conversations, messages].some(({ isFetching }) => isFetching)),
    error: contacts.error ?? conversations.error ?? messages.error,
    groups: [
      {
        title: texts.contacts,
        items: contacts.items.map((contact) => ({
          key: contact._id,
          icon: 'person',
          label: nameContact(contact),
          detail: showReach(contact),
          run: open(`/contacts/${contact._id}`),
        })),
      },
      {
        title: texts.conversations,
        items: conversations.items.map((conversation) => ({
          key: conversation._id,
          icon: 'channel',
          label: <ContactName of={conversation} />,
          detail: describeConversation(conversation),
          run: open(`/inbox/all/${conversation._id}`),
        })),
      },
      {
        title: texts.messages,
        items: messages.items.map((message) => ({
          key: message._id,
          icon: message.message_type === 'NOTE' ? 'note' : 'reply',
          label: <Preview message={message} />,
          detail: (
            <>
              <ContactName of={message} /> · {formatShort(message.createdAt)}
            </>
          ),
          run: open(`/inbox/all/${message.conversation}?message=${message._id}`),
        })),
      },
    ],
  };
}

/** Returns the text once nobody has changed it for a moment. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

const NONE: readonly never[] = [];

interface Hits<T> {
  items: readonly T[];
  isFetching: boolean;
  error: Error | null;
}

/** Reads the first hits. A request whose text has changed meanwhile is cancelled. */
function useHits<T>(
  may: boolean,
  [kind, search]: readonly [kind: string, search: string],
  read: (call: CallOptions) => Promise<{ result: readonly T[] }>,
): Hits<T> {
  const { data, isFetching, error } = useQuery({
    queryKey: ['found', kind, search],
    queryFn: async ({ signal }) => (await read({ signal })).result,
    enabled: may && search.length >= SHORTEST,
    placeholderData: (before) => (search.length >= SHORTEST ? before : undefined),
  });
  return { items: data ?? NONE, isFetching, error };
}

const describeConversation = ({ channel, last_message_at }: Conversation): string =>
  [CHANNEL_NAMES[channel], last_message_at && formatShort(last_message_at)].filter(Boolean).join(' · ');

function ContactName({ of }: { of: Conversation | Message }): ReactElement {
  return <>{useContactName(of)}</>;
}
