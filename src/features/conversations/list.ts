/** The list of conversations: filters, search, pages. Made for a million, of which anything may be asked. */
import { unknownReference } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { pageFrom, readSearch, pageWindow, type Page, type Window } from '../../platform/paging.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { findContacts } from '../contacts/found.ts';
import {
  countBroad,
  countConversations,
  findUnknown,
  isWalked,
  listBroad,
  listConversations,
  listNear,
  lookUpConversations,
  type ConversationFilter,
} from './list-queries.ts';
import type { Conversation, ConversationQuery } from './schemas.ts';

// Of so many contacts the conversations are looked up one by one in some ten milliseconds; more is a broad search.
const FEW = 2_000;
// A walk of this many takes some ten milliseconds. What fills no page here is looked up as a whole.
const REACH = 5_000;

export async function pageConversations(tenant: Tenant, query: ConversationQuery): Promise<Page<Conversation>> {
  const page = await findPage(tenant, query);
  // An empty page may be one of records that are not there: only then are they looked up.
  if (page.result.length === 0) {
    const [unknown] = await findUnknown(tenant.read, filterOf(query));
    if (unknown) throw unknownReference(unknown);
  }
  return page;
}

async function findPage(tenant: Tenant, query: ConversationQuery): Promise<Page<Conversation>> {
  const window = pageWindow('conversations', query);
  const filter = filterOf(query);
  const search = readSearch(query);
  if (search === null) {
    const rows = await findFiltered(tenant, filter, window);
    return pageFrom(query, window, rows, () => countConversations(tenant.read, filter, window));
  }
  const contacts = await findContacts(tenant, search, FEW);
  if (Array.isArray(contacts)) {
    const found = { ...filter, found: { contacts, id: isId(search) ? search : null } };
    const rows = await lookUpConversations(tenant.read, found, window);
    return pageFrom(query, window, rows, () => countConversations(tenant.read, found, window));
  }
  const asked = { filter, search: contacts };
  const near = await listNear(tenant.read, asked, window, REACH);
  const rows = near.length === window.limit ? near : await listBroad(tenant.read, asked, window);
  return pageFrom(query, window, rows, () => countBroad(tenant.read, asked, window));
}

/** Where an index has the filter in the asked order, its walk; else a short walk in that order, and what is rarer is looked up. */
async function findFiltered(tenant: Tenant, filter: ConversationFilter, window: Window): Promise<Conversation[]> {
  if (isWalked(filter, window)) return listConversations(tenant.read, filter, window);
  const near = await listNear(tenant.read, { filter, search: null }, window, REACH);
  return near.length === window.limit ? near : lookUpConversations(tenant.read, filter, window);
}

function filterOf(query: ConversationQuery): ConversationFilter {
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
