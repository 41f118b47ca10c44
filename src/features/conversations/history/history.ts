/** Lists what happened to a conversation. The trigger `remembered` writes it, in the transaction of each change. */
import { pageWindow, type Page } from '../../../platform/store/paging.ts';
import type { Tenant, TenantRead } from '../../../platform/store/tenant.ts';
import { findHistoryEntries, listHistory } from './queries.ts';
import { expectConversation } from '../conversations.ts';
import type { HistoryEntry, HistoryQuery } from './schemas.ts';

export async function pageHistory(tenant: Tenant, id: string, query: HistoryQuery): Promise<Page<HistoryEntry>> {
  const page = await listHistory(tenant.read, id, pageWindow(`history:${id}`, query));
  if (page.result.length === 0) await expectConversation(tenant.read, id);
  return page;
}

/** Reads entries by their ids, for whoever follows changes. Those that do not exist are left out. */
export const readHistoryEntries = (read: TenantRead, ids: string[]): Promise<HistoryEntry[]> =>
  findHistoryEntries(read, ids);
