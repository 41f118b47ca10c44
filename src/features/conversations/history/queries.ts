/** SQL statements for the history of conversations. */
import { many } from '../../../platform/store/db.ts';
import type { Page, Window } from '../../../platform/store/paging.ts';
import { listPage } from '../../../platform/store/plain-list.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import type { HistoryEntry } from './schemas.ts';

const COLUMNS = `h._id, h.company_id as company, h.conversation_id as conversation,
  case when h.actor_type is null then null else json_build_object('type', h.actor_type, '_id', h.actor_id, 'name', h.actor_name) end as actor,
  h.changes, h.created_at as "createdAt", h.updated_at as "updatedAt"`;

export function listHistory(tx: TenantRead, conversation: string, window: Window): Promise<Page<HistoryEntry>> {
  return listPage(tx, window, {
    name: 'conversations',
    variant: '.history',
    columns: COLUMNS,
    from: 'conversation_history h',
    filter: 'company_id = $1 and conversation_id = $2',
    values: [tx.companyId, conversation],
  });
}

export function findHistoryEntries(tx: TenantRead, ids: string[]): Promise<HistoryEntry[]> {
  return many(tx, {
    name: 'conversations.findHistoryEntries',
    text: `select ${COLUMNS} from conversation_history h where h.company_id = $1 and h._id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}
