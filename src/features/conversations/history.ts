/** Lists what happened to a conversation. The trigger `remembered` writes it, in the transaction of each change. */
import { notFound } from '../../platform/values/errors.ts';
import { makePage, pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { countHistory, findHistoryEntries, listHistory } from './history-queries.ts';
import { findConversation } from './queries.ts';
import type { HistoryEntry, HistoryQuery } from './schemas.ts';

export async function pageHistory(tenant: Tenant, id: string, query: HistoryQuery): Promise<Page<HistoryEntry>> {
  const window = pageWindow(`history:${id}`, query);
  const rows = await listHistory(tenant.read, id, window);
  if (rows.length === 0 && !(await findConversation(tenant.read, id))) throw notFound();
  return makePage(query, window, rows, () => countHistory(tenant.read, id, window));
}

/** Reads entries by their ids, for whoever follows changes. Those that do not exist are left out. */
export const readHistoryEntries = (read: TenantRead, ids: string[]): Promise<HistoryEntry[]> =>
  findHistoryEntries(read, ids);
