/** Lists and searches all messages of a company, in pages. */
import { findNearFirst } from '../../platform/store/long-list.ts';
import { makePage, pageWindow, readSearch, type Page, type Window } from '../../platform/store/paging.ts';
import { invalid } from '../../platform/values/errors.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import type { Acting } from '../../platform/store/tenant.ts';
import { refuseUnknown } from '../../platform/store/unknown-references.ts';
import { isContinued, listInParts, type Found } from './part-queries.ts';
import {
  countAllMessages,
  findUnknownFilters,
  isByCreation,
  isInOrder,
  listAllMessages,
  listNearMessages,
  lookUpMessages,
  THREADS,
  type MessageFilter,
} from './search-queries.ts';
import type { Message, MessageSearchQuery } from './schemas.ts';

// The time after which a request for a search returns what it has found. The console shows this and goes on, so its requests stay short.
const SEARCH_MS = declareLimit(30, {
  topic: 'Messages',
  what: 'Search of messages, per request without a total',
  unit: 'ms',
  beyond: 'the page ends early; go on with `nextCursor`',
});

/**
 * Returns a page. A search for words that takes longer than `budgetMs` ends its page early, with a cursor to go on, unless the caller wants a
 * total or pages by numbers.
 */
export async function searchMessages(
  tenant: Acting,
  query: MessageSearchQuery,
  budgetMs = SEARCH_MS,
): Promise<Page<Message>> {
  const { conversation = null, contact = null, inbox = null, mentioned = null, external_id = null } = query;
  const { has_file = null } = query;
  if (has_file !== null && contact === null && conversation === null)
    throw invalid('has_file', 'is only allowed with `contact` or `conversation`');
  const filter = { conversation, contact, inbox, mentioned, external_id, has_file, search: readSearch(query) };
  const window = pageWindow('messages', query);
  const isWhole = !query.skipCount || query.page !== undefined;
  const untilMs = isWhole ? null : performance.now() + budgetMs;
  const { messages, rest } = await findPage(tenant, filter, window, untilMs);
  // A check whether the records in the filters exist is needed only for an empty page.
  if (messages.length === 0) refuseUnknown(await findUnknownFilters(tenant.read, filter));
  return makePage(window, messages, () => countAllMessages(tenant.read, filter, window), rest);
}

async function findPage(
  { read }: Acting,
  filter: MessageFilter,
  window: Window,
  untilMs: number | null,
): Promise<Found> {
  const { search, inbox } = filter;
  const lookUp = async (): Promise<Found> => ({ messages: await lookUpMessages(read, filter, window), rest: null });
  // The messages of a conversation or a contact and the notes about a user are so few that all matches are found and sorted.
  if (THREADS.some((name) => filter[name] !== null)) return lookUp();
  if (isInOrder(filter, window)) return { messages: await listAllMessages(read, filter, window), rest: null };
  const find = async (): Promise<Found> =>
    search !== null && isByCreation(window)
      ? listInParts(read, { search, inbox }, window, untilMs && Math.max(0, untilMs - performance.now()))
      : lookUp();
  // A search that has ended early looks for words that are rare among the first messages.
  if (isContinued(window)) return find();
  let rest: Found['rest'] = null;
  const messages = await findNearFirst(
    window,
    () => listNearMessages(read, filter, window),
    async () => {
      const found = await find();
      rest = found.rest;
      return found.messages;
    },
  );
  return { messages, rest };
}
