/** Lists and searches all messages of a company, in pages. */
import { findNearFirst } from '../../platform/store/long-list.ts';
import { makePage, pageWindow, readSearch, type Page, type Window } from '../../platform/store/paging.ts';
import type { Acting } from '../../platform/store/tenant.ts';
import { refuseUnknown } from '../../platform/store/unknown-references.ts';
import {
  countAllMessages,
  findUnknownFilters,
  isInOrder,
  listAllMessages,
  listNearMessages,
  lookUpMessages,
  THREADS,
  type MessageFilter,
} from './search-queries.ts';
import type { Message, MessageSearchQuery } from './schemas.ts';

export async function searchMessages(tenant: Acting, query: MessageSearchQuery): Promise<Page<Message>> {
  const { conversation = null, contact = null, inbox = null, mentioned = null } = query;
  const filter = { conversation, contact, inbox, mentioned, search: readSearch(query) };
  const window = pageWindow('messages', query);
  const rows = await findPage(tenant, filter, window);
  // A check whether the records in the filters exist is needed only for an empty page.
  if (rows.length === 0) refuseUnknown(await findUnknownFilters(tenant.read, filter));
  return makePage(window, rows, () => countAllMessages(tenant.read, filter, window));
}

function findPage({ read }: Acting, filter: MessageFilter, window: Window): Promise<Message[]> {
  const lookUp = (): Promise<Message[]> => lookUpMessages(read, filter, window);
  // The messages of a conversation or a contact and the notes about a user are so few that all matches are found and sorted.
  if (THREADS.some((name) => filter[name] !== null)) return lookUp();
  if (isInOrder(filter, window)) return listAllMessages(read, filter, window);
  return findNearFirst(window, () => listNearMessages(read, filter, window), lookUp);
}
