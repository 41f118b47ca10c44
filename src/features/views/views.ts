/** Saved views of the list of conversations. A private one is seen by its owner only, a shared one by everyone who may read conversations. */
import { isDeepStrictEqual } from 'node:util';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import { whenTaken } from '../../platform/store/taken.ts';
import type { Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { alreadyTaken, checkInside, expectFound, invalid } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { expectKnownReferences } from '../conversations/list.ts';
import { ME, type ConversationFilters } from '../conversations/schemas.ts';
import {
  countTogether,
  deleteView,
  findByName,
  findOthersView,
  findView,
  findViews,
  insertView,
  listViews,
  lockView,
  updateView,
} from './queries.ts';
import { MAX_VIEWS, type View, type ViewCreate, type ViewQuery, type ViewUpdate } from './schemas.ts';

/** Returns the calling user; null for a key. */
export const findUser = ({ principal }: Tenant): string | null => (principal.type === 'user' ? principal.id : null);

const findKey = ({ principal }: Tenant): string | null => (principal.type === 'user' ? null : principal.id);

/** Throws VIEW_EXISTS if the name is taken: by another shared view, or by another private view of the same user. */
export async function createView(tenant: Tenant, input: ViewCreate): Promise<View> {
  const { is_shared = false, sort = '-last_message_at', position = 0, ...rest } = input;
  const owner = findUser(tenant);
  if (!is_shared && owner === null) throw invalid('is_shared', 'must be true, because a key has no private views');
  await checkFilters(tenant.read, input.filters);
  const stored = tenant.tx(async (tx) => {
    await expectRoom(tx, is_shared ? null : owner);
    const view = await insertView(tx, {
      ...rest,
      _id: newId(),
      is_shared,
      sort,
      position,
      owner,
      made_by_key: findKey(tenant),
    });
    tx.created(view._id);
    return view;
  });
  return stored.catch(refuseTakenName(tenant, { owner, is_shared, name: input.name }));
}

export async function readView(tenant: Tenant, id: string): Promise<View> {
  return expectFound(await findView(tenant.read, findUser(tenant), id));
}

/** Returns true for a view that everyone sees. */
export const isShared = async (tenant: Tenant, id: string): Promise<boolean> =>
  (await findView(tenant.read, findUser(tenant), id))?.is_shared === true;

/** Returns true for a view that the caller sees, although it is of another user or key. */
export const isOfOthers = async (tenant: Tenant, id: string): Promise<boolean> =>
  (await findOthersView(tenant.read, { user: findUser(tenant), key: findKey(tenant) }, id)) !== null;

export async function pageViews(tenant: Tenant, query: ViewQuery): Promise<Page<View>> {
  return listViews(tenant.read, findUser(tenant), pageWindow('views', query));
}

/** Reads those of the views that are shared, or with a user those that this user sees. */
export const readViews = (read: TenantRead, ids: string[], user: string | null): Promise<View[]> =>
  findViews(read, user, ids);

/** Filters are checked only when they change, so that a view can be renamed whose filters name a record that was deleted. */
export async function updateViewById(tenant: Tenant, id: string, input: ViewUpdate): Promise<View> {
  const seen = await readView(tenant, id);
  if (input.filters) await checkFilters(tenant.read, input.filters);
  const stored = tenant.tx(async (tx) => {
    const before = await lockForChange(tx, tenant, id);
    const { name, is_shared, filters, sort, position } = before;
    const own = { name, is_shared, filters, sort, position };
    const next = { ...own, ...input };
    if (isDeepStrictEqual(next, own)) return before;
    if (is_shared && !next.is_shared && (before.owner === null || before.owner !== findUser(tenant)))
      throw invalid('is_shared', 'must stay true, because only its owner can make the view private');
    if (is_shared !== next.is_shared) await expectRoom(tx, next.is_shared ? null : before.owner);
    return updateView(tx, id, next);
  });
  return stored.catch(refuseTakenName(tenant, { ...seen, ...input }));
}

export function removeView(tenant: Tenant, id: string): Promise<View> {
  return tenant.tx(async (tx) => {
    const view = await lockForChange(tx, tenant, id);
    await deleteView(tx, id);
    return view;
  });
}

async function lockForChange(tx: TenantTx, tenant: Tenant, id: string): Promise<View> {
  return expectFound(await lockView(tx, findUser(tenant), id));
}

/** Throws for a filter whose record does not exist. */
const checkFilters = (read: TenantRead, { owner, ...others }: ConversationFilters): Promise<void> =>
  checkInside('filters', () =>
    expectKnownReferences(read, owner === undefined || owner === ME ? others : { ...others, owner }),
  );

/** Throws when the company, or this user, has the most views already. */
async function expectRoom(tx: TenantTx, owner: string | null): Promise<void> {
  await lockLimit(tx, `views:${owner}`);
  if ((await countTogether(tx, owner)) >= MAX_VIEWS)
    throw invalid('name', `is one too many: there are ${MAX_VIEWS} views already`, 'LIMIT_REACHED');
}

const refuseTakenName = (tenant: Tenant, { owner, is_shared, name }: Pick<View, 'owner' | 'is_shared' | 'name'>) =>
  whenTaken('views_name_key', async () => {
    throw alreadyTaken('VIEW_EXISTS', 'name', (await findByName(tenant.read, is_shared ? null : owner, name))?._id);
  });
