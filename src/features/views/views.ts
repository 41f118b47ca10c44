/** Saved filters of a list. A private one is seen by its owner only, a shared one by everyone who may read the records of the list. */
import { isDeepStrictEqual } from 'node:util';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import { whenTaken } from '../../platform/store/taken.ts';
import type { Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { alreadyTaken, checkInside, expectFound, invalid } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { countView, type ViewKind } from './kinds.ts';
import {
  countTogether,
  deleteView,
  findByName,
  findOthersView,
  findView,
  findViews,
  insertView,
  listViews,
  listVisible,
  lockView,
  updateView,
  type Seen,
} from './queries.ts';
import { MAX_VIEWS, type SavedView, type ViewCreate, type ViewQuery, type ViewUpdate } from './schemas.ts';

const findUser = ({ principal }: Tenant): string | null => (principal.type === 'user' ? principal.id : null);
const findKey = ({ principal }: Tenant): string | null => (principal.type === 'user' ? null : principal.id);
const seenBy = (kind: ViewKind, tenant: Tenant): Seen => ({ kind: kind.name, user: findUser(tenant) });

/** Throws VIEW_EXISTS if the name is taken: by another shared view, or by another private view of the same user. */
export async function createView(kind: ViewKind, tenant: Tenant, input: ViewCreate<object>): Promise<SavedView> {
  const { is_shared = false, sort = kind.sort, position = 0, ...rest } = input;
  const owner = findUser(tenant);
  if (!is_shared && owner === null)
    throw invalid('is_shared', `must be true, because a key has no private ${kind.list}`);
  await checkInside('filters', () => kind.check(tenant, input.filters));
  const among = { kind: kind.name, user: is_shared ? null : owner };
  const stored = tenant.tx(async (tx) => {
    await expectRoom(tx, kind, among);
    const fields = { ...rest, _id: newId(), is_shared, sort, position, owner, made_by_key: findKey(tenant) };
    const view = await insertView(tx, kind.name, fields);
    tx.created(view._id);
    return view;
  });
  return stored.catch(refuseTakenName(tenant, among, input.name));
}

export async function readView(kind: ViewKind, tenant: Tenant, id: string): Promise<SavedView> {
  return expectFound(await findView(tenant.read, seenBy(kind, tenant), id));
}

/** Returns true for a view that everyone sees. */
export const isShared = async (kind: ViewKind, tenant: Tenant, id: string): Promise<boolean> =>
  (await findView(tenant.read, seenBy(kind, tenant), id))?.is_shared === true;

/** Returns true for a view that the caller sees, although it is of another user or key. */
export const isOfOthers = async (kind: ViewKind, tenant: Tenant, id: string): Promise<boolean> =>
  (await findOthersView(tenant.read, { ...seenBy(kind, tenant), key: findKey(tenant) }, id)) !== null;

export async function pageViews(kind: ViewKind, tenant: Tenant, query: ViewQuery): Promise<Page<SavedView>> {
  return listViews(tenant.read, seenBy(kind, tenant), pageWindow(kind.list, query));
}

/** Reads those of the views that are shared, or with a user those that this user sees. */
export const readViews = (kind: ViewKind, read: TenantRead, ids: string[], user: string | null): Promise<SavedView[]> =>
  findViews(read, { kind: kind.name, user }, ids);

/** Counts the records of all views that the caller sees. */
export async function countViews(kind: ViewKind, tenant: Tenant): Promise<object> {
  const counts: object[] = [];
  // One after the other, so that a caller with many views does not use several connections.
  for (const view of await listVisible(tenant.read, seenBy(kind, tenant)))
    counts.push({ [kind.word]: view._id, count: await countView(kind, tenant, view) });
  return { [kind.list]: counts };
}

/** Filters are checked only when they change, so that a view can be renamed whose filters name a record that was deleted. */
export async function updateViewById(
  kind: ViewKind,
  tenant: Tenant,
  id: string,
  input: ViewUpdate<object>,
): Promise<SavedView> {
  const seen = await readView(kind, tenant, id);
  const { filters: wanted } = input;
  if (wanted) await checkInside('filters', () => kind.check(tenant, wanted));
  const among = ({ is_shared, owner }: Pick<SavedView, 'is_shared' | 'owner'>): Seen => ({
    kind: kind.name,
    user: is_shared ? null : owner,
  });
  const stored = tenant.tx(async (tx) => {
    const before = await lockForChange(tx, kind, tenant, id);
    const { name, is_shared, filters, sort, position } = before;
    const own = { name, is_shared, filters, sort, position };
    const next = { ...own, ...input };
    if (isDeepStrictEqual(next, own)) return before;
    if (is_shared && !next.is_shared && (before.owner === null || before.owner !== findUser(tenant)))
      throw invalid('is_shared', `must stay true, because only its owner can make the ${kind.word} private`);
    if (is_shared !== next.is_shared) await expectRoom(tx, kind, among({ ...next, owner: before.owner }));
    return updateView(tx, id, next);
  });
  return stored.catch(refuseTakenName(tenant, among({ ...seen, ...input }), input.name ?? seen.name));
}

export function removeView(kind: ViewKind, tenant: Tenant, id: string): Promise<SavedView> {
  return tenant.tx(async (tx) => {
    const view = await lockForChange(tx, kind, tenant, id);
    await deleteView(tx, id);
    return view;
  });
}

async function lockForChange(tx: TenantTx, kind: ViewKind, tenant: Tenant, id: string): Promise<SavedView> {
  return expectFound(await lockView(tx, seenBy(kind, tenant), id));
}

/** Throws when the company, or this user, has the most views already. */
async function expectRoom(tx: TenantTx, { list }: ViewKind, among: Seen): Promise<void> {
  await lockLimit(tx, `${list}:${among.user}`);
  if ((await countTogether(tx, among)) >= MAX_VIEWS)
    throw invalid('name', `is one too many: there are ${MAX_VIEWS} ${list} already`, 'LIMIT_REACHED');
}

const refuseTakenName = (tenant: Tenant, among: Seen, name: string) =>
  whenTaken('views_name_key', async () => {
    throw alreadyTaken('VIEW_EXISTS', 'name', (await findByName(tenant.read, among, name))?._id);
  });
