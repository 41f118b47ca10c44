/** The lists whose filters can be saved: conversations as views, and contacts as segments. */
import type { Tenant } from '../../platform/store/tenant.ts';
import { AppError } from '../../platform/values/errors.ts';
import type { Scope } from '../../platform/values/scopes.ts';
import { countContacts, readContactMatch } from '../contacts/list/list.ts';
import type { ContactFilters } from '../contacts/schemas.ts';
import { countMatching, expectKnownReferences } from '../conversations/list.ts';
import { ME, type ConversationFilters, type ConversationQuery } from '../conversations/schemas.ts';
import { MOST_COUNTED, SEGMENT_SCHEMAS, VIEW_SCHEMAS, type SavedView, type ViewSchemas } from './schemas.ts';

export interface ViewKind<F extends object = object> {
  /** The value of the column `kind`. */
  name: 'CONVERSATIONS' | 'CONTACTS';
  /** What texts call a record, and what the API calls the list. */
  word: 'view' | 'segment';
  list: 'views' | 'segments';
  /** The records of the list whose filters are saved. */
  of: 'conversations' | 'contacts';
  scopes: { read: Scope; share: Scope };
  sort: string;
  schemas: ViewSchemas<F>;
  /** Throws for filters that the list refuses, or whose record does not exist. */
  check(tenant: Tenant, filters: F): Promise<unknown>;
  /** Counts the records of a view, at most MOST_COUNTED; null where that would take too long. */
  count(tenant: Tenant, view: Pick<SavedView<F>, 'filters' | 'sort'>): Promise<number | null>;
}

export const VIEWS: ViewKind<ConversationFilters> = {
  name: 'CONVERSATIONS',
  word: 'view',
  list: 'views',
  of: 'conversations',
  scopes: { read: 'conversations:read', share: 'conversations:update' },
  sort: '-last_message_at',
  schemas: VIEW_SCHEMAS,
  check: ({ read }, { owner, ...others }) =>
    expectKnownReferences(read, owner === undefined || owner === ME ? others : { ...others, owner }),
  count: async (tenant, { filters, sort }) =>
    isQuick(tenant, filters)
      ? countMatching(tenant, { open: true, ...filters, sort: sort as ConversationQuery['sort'] }, MOST_COUNTED)
      : null,
};

/** Closed conversations are kept for years, and a search reads the contacts: neither is quick enough for a number beside a name. */
function isQuick({ principal }: Tenant, { status, open, search, owner }: ConversationFilters): boolean {
  const isOfClosed = status === 'CLOSED' || open === false;
  return !isOfClosed && !search?.trim() && (owner !== ME || principal.type === 'user');
}

export const SEGMENTS: ViewKind<ContactFilters> = {
  name: 'CONTACTS',
  word: 'segment',
  list: 'segments',
  of: 'contacts',
  scopes: { read: 'contacts:read', share: 'contacts:update' },
  sort: '-createdAt',
  schemas: SEGMENT_SCHEMAS,
  check: readContactMatch,
  count: (tenant, { filters }) => countContacts(tenant, filters, MOST_COUNTED),
};

/** Counts the records of a view. A view whose filters name a custom field or another record that was deleted is empty. */
export async function countView(kind: ViewKind, tenant: Tenant, view: SavedView): Promise<number | null> {
  try {
    return await kind.count(tenant, view);
  } catch (error) {
    // Failure policy: only the refusal of the filters makes an empty view; any other error is thrown on.
    if (error instanceof AppError && error.status === 400) return 0;
    throw error;
  }
}
