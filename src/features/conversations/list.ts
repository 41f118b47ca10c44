/** Lists conversations by filters, search and pages; made for a million conversations and any combination of filters. */
import { isId } from '../../platform/values/ids.ts';
import { findNearFirst } from '../../platform/store/long-list.ts';
import { PRIORITIES } from '../../platform/store/orders.ts';
import { makePage, readSearch, pageWindow, type Page, type Window } from '../../platform/store/paging.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { invalid } from '../../platform/values/errors.ts';
import { refuseUnknown } from '../../platform/store/unknown-references.ts';
import { readValueFilters } from '../custom-fields/filters.ts';
import { searchContacts } from '../contacts/list/found.ts';
import { findUnknownFilters, type ConversationFilter } from './filter-queries.ts';
import {
  countBroadMatches,
  countConversations,
  countUpTo,
  hasOrderedIndex,
  listBroadMatches,
  listConversations,
  listNearConversations,
  lookUpConversations,
  selectBroadMatches,
  selectConversations,
} from './list-queries.ts';
import { ME, NONE, readRank, type Conversation, type ConversationFilters, type ConversationQuery } from './schemas.ts';

// The most contacts whose conversations are found one by one, which takes some ten milliseconds; a search with more contacts is broad.
const MAX_CONTACTS = 2_000;

export async function pageConversations(tenant: Tenant, asked: ConversationQuery): Promise<Page<Conversation>> {
  const query = nameCaller(tenant, asked);
  const page = await findPage(tenant, query);
  // A check whether the records in the filters exist is needed only for an empty page.
  if (page.result.length === 0) await expectKnownReferences(tenant.read, query);
  return page;
}

async function findPage(tenant: Tenant, query: ConversationQuery): Promise<Page<Conversation>> {
  const window = pageWindow('conversations', query);
  const filter = { ...(await readConversationFilter(tenant.read, query)), isWaiting: query.sort === 'waiting_since' };
  const search = readSearch(query);
  if (search === null) {
    const rows = await findFilteredPage(tenant, filter, window);
    return makePage(window, rows, () => countConversations(tenant.read, filter, window));
  }
  const contacts = await searchContacts(tenant, search, MAX_CONTACTS);
  if (Array.isArray(contacts)) {
    const found = addFound(filter, search, contacts);
    const rows = await lookUpConversations(tenant.read, found, window);
    return makePage(window, rows, () => countConversations(tenant.read, found, window));
  }
  const asked = { filter, search: contacts };
  const rows = await findNearFirst(
    window,
    () => listNearConversations(tenant.read, asked, window),
    () => listBroadMatches(tenant.read, asked, window),
  );
  return makePage(window, rows, () => countBroadMatches(tenant.read, asked, window));
}

/** Returns the ids of at most `most` conversations that the list shows with these filters, in no particular order. */
export async function findMatchingIds(tenant: Tenant, asked: ConversationFilters, most: number): Promise<string[]> {
  const filters = nameCaller(tenant, asked);
  const filter = await readConversationFilter(tenant.read, filters);
  const ids = await selectIds(tenant, { filter, search: readSearch(filters) }, most);
  if (ids.length === 0) await expectKnownReferences(tenant.read, filters);
  return ids;
}

/** Counts the conversations that the list shows in this order with these filters besides a search, but not more than `most`. */
export async function countMatching(
  tenant: Tenant,
  { sort, ...asked }: Omit<ConversationFilters, 'search'> & Pick<ConversationQuery, 'sort'>,
  most: number,
): Promise<number> {
  const filter = await readConversationFilter(tenant.read, nameCaller(tenant, asked));
  return countUpTo(tenant.read, { ...filter, isWaiting: sort === 'waiting_since' }, most);
}

/** Puts the id of the calling user in place of the owner `me`. */
function nameCaller<F extends ConversationFilters>({ principal }: Tenant, filters: F): F {
  if (filters.owner !== ME) return filters;
  if (principal.type !== 'user') throw invalid('owner', `cannot be ${ME}, because a key is no user`);
  return { ...filters, owner: principal.id };
}

async function selectIds(
  tenant: Tenant,
  { filter, search }: { filter: ConversationFilter; search: string | null },
  most: number,
): Promise<string[]> {
  if (search === null) return selectConversations(tenant.read, filter, most);
  const contacts = await searchContacts(tenant, search, MAX_CONTACTS);
  return Array.isArray(contacts)
    ? selectConversations(tenant.read, addFound(filter, search, contacts), most)
    : selectBroadMatches(tenant.read, { filter, search: contacts }, most);
}

const addFound = (filter: ConversationFilter, search: string, contacts: string[]): ConversationFilter => ({
  ...filter,
  found: { contacts, id: isId(search) ? search : null },
});

/** Throws UNKNOWN_REFERENCE for a filter whose record does not exist. */
export async function expectKnownReferences(read: TenantRead, filters: ConversationFilters): Promise<void> {
  refuseUnknown(await findUnknownFilters(read, await readConversationFilter(read, filters)));
}

/** When an index has the filtered conversations in the order of the page, it is followed. For a user who sees only some inboxes it would have those of the others, too. */
async function findFilteredPage({ read }: Tenant, filter: ConversationFilter, window: Window): Promise<Conversation[]> {
  if (!read.sight && hasOrderedIndex(filter, window)) return listConversations(read, filter, window);
  return findNearFirst(
    window,
    () => listNearConversations(read, { filter, search: null }, window),
    () => lookUpConversations(read, filter, window),
  );
}

const toId = (given: string | undefined): string | null => (given === NONE ? null : (given ?? null));

/** Filters that can also ask for conversations without one. */
const readAssignment = ({ owner, team, step }: Record<'owner' | 'team' | 'step', string | undefined>) => ({
  owner: toId(owner),
  team: toId(team),
  step: toId(step),
  isOwnerless: owner === NONE,
  isTeamless: team === NONE,
  isStepless: step === NONE,
});

async function readConversationFilter(read: TenantRead, query: ConversationFilters): Promise<ConversationFilter> {
  const {
    status,
    open,
    snoozed,
    awaits_reply,
    unread,
    waiting_longer_than,
    priority,
    handled_by,
    channel,
    sla,
    inbox,
    contact,
    owner,
    attendant,
    team,
    agent,
    pipeline,
    step,
    tag,
    filters,
  } = query;
  return {
    status: status ?? null,
    handled_by: handled_by ?? null,
    inbox: inbox ?? null,
    contact: contact ?? null,
    attendant: attendant ?? null,
    agent: agent ?? null,
    pipeline: pipeline ?? null,
    tag: tag ?? null,
    isOpen: open ?? null,
    isSnoozed: snoozed ?? null,
    awaitsReply: awaits_reply ?? null,
    isUnread: unread ?? null,
    isWaiting: false,
    waitingMinutes: waiting_longer_than ?? null,
    priorities: priority?.split(',').map((name) => readRank(PRIORITIES.find((each) => each === name) ?? null)) ?? null,
    channel: channel ?? null,
    sla: sla ?? null,
    values: await readValueFilters(read, 'conversation', filters),
    ...readAssignment({ owner, team, step }),
    found: null,
  };
}
