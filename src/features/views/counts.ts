/** How many conversations the views have that the caller sees. */
import type { Tenant } from '../../platform/store/tenant.ts';
import { AppError } from '../../platform/values/errors.ts';
import { countMatching } from '../conversations/list.ts';
import { ME } from '../conversations/schemas.ts';
import { listVisible } from './queries.ts';
import { MOST_COUNTED, type View, type ViewCounts } from './schemas.ts';
import { findUser } from './views.ts';

export async function countViews(tenant: Tenant): Promise<ViewCounts> {
  const views: ViewCounts['views'] = [];
  // One after the other, so that a caller with many views does not use several connections.
  for (const view of await listVisible(tenant.read, findUser(tenant)))
    views.push({ view: view._id, count: isCounted(tenant, view) ? await countView(tenant, view) : null });
  return { views };
}

/** Closed conversations are kept for years, and a search reads the contacts: neither is quick enough for a number beside a name. */
function isCounted(tenant: Tenant, { filters: { status, open, search, owner } }: View): boolean {
  const isOfClosed = status === 'CLOSED' || open === false;
  return !isOfClosed && !search?.trim() && (owner !== ME || findUser(tenant) !== null);
}

async function countView(tenant: Tenant, { filters, sort }: View): Promise<number> {
  try {
    return await countMatching(tenant, { open: true, ...filters, sort }, MOST_COUNTED);
  } catch (error) {
    // Failure policy: a view whose filters name a custom field that was deleted matches nothing.
    if (error instanceof AppError && error.status === 400) return 0;
    throw error;
  }
}
