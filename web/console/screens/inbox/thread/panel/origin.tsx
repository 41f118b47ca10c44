/** Where the contact came from: the ad or post of the first message, and the page on which a visitor of a web chat writes. */
import type { Contact, Conversation, Message } from '@parley/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../../../client.ts';
import { CONTACT_FIELDS, CONTACT_SOURCES } from '../../../../texts/contact-fields.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Details, type Detail } from '../../../../ui/details.tsx';
import { MessageText } from '../../../../ui/message-text.tsx';
import { NotLoaded } from './section.tsx';
import { PANEL } from './texts.ts';

/** How many of the newest messages are searched for the page. Each message of a visitor names the page that it was written on. */
const LOOKED_AT = 20;

export function Origin({ conversation, contact }: { conversation: Conversation; contact: Contact }): ReactElement {
  const texts = useTexts(PANEL);
  const names = useTexts(CONTACT_FIELDS);
  const sources = useTexts(CONTACT_SOURCES);
  const { _id, last_message_at } = conversation;
  const { data, error } = useQuery({
    queryKey: ['origin', _id, last_message_at],
    queryFn: async ({ signal }) => {
      const read = async (sort: 'createdAt' | '-createdAt', limit: number): Promise<readonly Message[]> =>
        (await parley.messages.listInConversation(_id, { sort, limit, skipCount: true }, { signal })).result;
      const [first, last] = await Promise.all([read('createdAt', 1), read('-createdAt', LOOKED_AT)]);
      return { ad: findReferral(first, false), page: findReferral(last, true) };
    },
    // A new message seldom changes the origin, so what is known stays while it is read again.
    placeholderData: keepPreviousData,
  });
  if (!data) return <NotLoaded error={error} />;
  const { ad, page } = data;
  const facts: Detail[] = [
    [names.source, sources[contact.source]],
    ad?.headline !== undefined && [texts.ad, ad.headline],
    ad?.url !== undefined && [texts.address, <MessageText key="ad" text={ad.url} hasMarks={false} />, 'ad'],
    page?.url !== undefined && [texts.page, <MessageText key="page" text={page.url} hasMarks={false} />, 'page'],
  ];
  return <Details layout="lines" items={facts} />;
}

interface Referral {
  headline: string | undefined;
  url: string | undefined;
}

function findReferral(messages: readonly Message[], isOfPage: boolean): Referral | null {
  const all = messages.flatMap(({ referral }) => (referral ? [new Map(Object.entries(referral))] : []));
  const found = all.find((each) => (each.get('source_type') === 'page') === isOfPage);
  return found ? { headline: toText(found.get('headline')), url: toText(found.get('source_url')) } : null;
}

const toText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
