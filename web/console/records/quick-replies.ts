/** Quick replies: their list, and the variables that their texts may have. */
import type { Contact, QuickReply, User } from '@parley/sdk';
import { parley } from '../client.ts';
import { rereadCompany } from './company.ts';
import { changeFeeds, placeInFeed, removeFromFeed, replaceInFeed, useFeed, type FeedView } from './feeds.ts';

const FEEDS = ['quick-replies'] as const;
const PAGE = 50;

/** Lists the quick replies that a search finds, the newest first; "" finds all. */
export const useQuickReplyFeed = (search: string): FeedView<QuickReply> =>
  useFeed(
    [...FEEDS, search],
    (after, signal) =>
      parley.quickReplies.list({ search: search || undefined, limit: PAGE, skipCount: true, after }, { signal }),
    { isLive: false },
  );

export function showQuickReply(reply: QuickReply): void {
  changeFeeds<QuickReply>(FEEDS, (feed, [, search]) =>
    search === '' ? placeInFeed(feed, reply, ({ createdAt }) => createdAt) : replaceInFeed(feed, reply),
  );
  rereadCompany('quick-replies');
}

export function forgetQuickReply(id: string): void {
  changeFeeds<QuickReply>(FEEDS, (feed) => removeFromFeed(feed, id));
  rereadCompany('quick-replies');
}

/** What a text is filled with. */
export interface VariableValues {
  contact: Contact | null;
  user: User;
  company: string;
}

const VALUES = {
  'contact.name': ({ contact }: VariableValues) => contact?.name,
  'contact.first_name': ({ contact }: VariableValues) => contact?.name?.trim().split(/\s+/)[0],
  'contact.email': ({ contact }: VariableValues) => contact?.email,
  'contact.phone_number': ({ contact }: VariableValues) => contact?.phone_number,
  'user.name': ({ user }: VariableValues) => user.name,
  'company.name': ({ company }: VariableValues) => company,
} as const satisfies Record<string, (values: VariableValues) => string | null | undefined>;

export type Variable = keyof typeof VALUES;
export const VARIABLES = Object.keys(VALUES) as Variable[];
const VARIABLE = /\{\{\s*([\w.]+)\s*\}\}/g;
const isVariable = (name: string): name is Variable => Object.hasOwn(VALUES, name);

/** Fills the variables of a text. What is not known stays as it is, so that the writer sees that it is missing. */
export const fillVariables = (content: string, values: VariableValues): string =>
  content.replaceAll(VARIABLE, (whole, name: string) => (isVariable(name) && VALUES[name](values)) || whole);

/** Finds the first variable that is left in a text, as it is written there. */
export const findUnfilled = (text: string): string | null =>
  [...text.matchAll(VARIABLE)].find(([, name = '']) => isVariable(name))?.[0] ?? null;
