/** Lists conversations by filters, search and pages; made for a million conversations and any combination of filters. */
import { unknownReference } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { findNearFirst } from '../../platform/long-list.ts';
import { pageFrom, readSearch, pageWindow, type Page, type Window } from '../../platform/paging.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { findContacts } from '../contacts/list/found.ts';
import {
  countBroad,
  countConversations,
  findUnknown,
  hasOrderedIndex,
  listBroad,
  listConversations,
  listNear,
  lookUpConversations,
  type ConversationFilter,
} from './list-queries.ts';
import type { Conversation, ConversationQuery } from './schemas.ts';

// The most contacts whose conversations are found one by one, which takes some ten milliseconds; a search with more contacts is broad.
const MAX_CONTACTS = 2_000;

export async function pageConversations(tenant: Tenant, query: ConversationQuery): Promise<Page<Conversation>> {
  const page = await findPage(tenant, query);
  // A check whether the records in the filters exist is needed only for an empty page.
  if (page.result.length === 0) {
    const [unknown] = await findUnknown(tenant.read, toFilter(query));
    if (unknown) throw unknownReference(unknown);
  }
  return page;
}

async function findPage(tenant: Tenant, query: ConversationQuery): Promise<Page<Conversation>> {
  const window = pageWindow('conversations', query);
  const filter = toFilter(query);
  const search = readSearch(query);
  if (search === null) {
    const rows = await findFiltered(tenant, filter, window);
    return pageFrom(query, window, rows, () => countConversations(tenant.read, filter, window));
  }
  const contacts = await findContacts(tenant, search, MAX_CONTACTS);
  if (Array.isArray(contacts)) {
    const found = { ...filter, found: { contacts, id: isId(search) ? search : null } };
    const rows = await lookUpConversations(tenant.read, found, window);
    return pageFrom(query, window, rows, () => countConversations(tenant.read, found, window));
  }
  const asked = { filter, search: contacts };
  const rows = await findNearFirst(
    window,
    () => listNear(tenant.read, asked, window),
    () => listBroad(tenant.read, asked, window),
  );
  return pageFrom(query, window, rows, () => countBroad(tenant.read, asked, window));
}

/** When an index has the filtered conversations in the order of the page, it is followed. */
async function findFiltered({ read }: Tenant, filter: ConversationFilter, window: Window): Promise<Conversation[]> {
  if (hasOrderedIndex(filter, window)) return listConversations(read, filter, window);
  return findNearFirst(
    window,
    () => listNear(read, { filter, search: null }, window),
    () => lookUpConversations(read, filter, window),
  );
}

function toFilter(query: ConversationQuery): ConversationFilter {
  const { status, handled_by, inbox, contact, owner, attendant, agent, pipeline, step, tag } = query;
  return {
    status: status ?? null,
    handled_by: handled_by ?? null,
    inbox: inbox ?? null,
    contact: contact ?? null,
    owner: owner ?? null,
    attendant: attendant ?? null,
    agent: agent ?? null,
    pipeline: pipeline ?? null,
    step: step ?? null,
    tag: tag ?? null,
    found: null,
  };
}
