/** Statements about the old messages of the phone with which an inbox shares its number. */
import { exec, maybeOne } from '../../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';

/** A history that was not asked for yet, or of which nothing has come. */
export interface AwaitedHistory {
  /** True when the network has answered the request for the contacts of the phone. */
  contacts_asked: boolean;
  /** True when the network has accepted the request for the old messages. */
  is_requested: boolean;
}

const AWAITED = `history->>'status' = 'REQUESTED'`;

export function findAwaited(tx: TenantRead, inbox: string): Promise<AwaitedHistory | null> {
  return maybeOne(tx, {
    name: 'inboxes.findAwaitedHistory',
    text: `select history ? 'contacts_asked' as contacts_asked, history->>'requested_at' is not null as is_requested
      from inboxes where company_id = $1 and _id = $2 and status = 'ACTIVE' and coexistence_enabled and ${AWAITED}`,
    values: [tx.companyId, inbox],
  });
}

/** Stores that the contacts were asked for, unless the inbox has got another number since. */
export function noteContactsAsked(tx: TenantTx, inbox: string, version: number): Promise<number> {
  return exec(tx, {
    name: 'inboxes.noteContactsAsked',
    text: `update inboxes set history = history || '{"contacts_asked":true}'
      where company_id = $1 and _id = $2 and connection_version = $3 and history is not null`,
    values: [tx.companyId, inbox, version],
  });
}

/**
 * Stores the network's answer to the request, unless old messages have come since or the inbox has got another number. The network accepts one
 * request, so the refusal of another one that ran at the same time says nothing.
 */
export function answerRequest(
  tx: TenantTx,
  inbox: string,
  answer: { version: number; error: string | null; at: string },
): Promise<number> {
  return exec(tx, {
    name: 'inboxes.answerHistoryRequest',
    text: `update inboxes set updated_at = now(), history = history || jsonb_build_object('updated_at', $4::text, 'error', $3::text,
        'status', case when $3::text is null then 'REQUESTED' else 'FAILED' end,
        'requested_at', case when $3::text is null then $4::text end)
      where company_id = $1 and _id = $2 and connection_version = $5
        and ((${AWAITED} and ($3::text is null or history->>'requested_at' is null))
          or ($3::text is null and history->>'status' = 'FAILED'))`,
    values: [tx.companyId, inbox, answer.error, answer.at, answer.version],
  });
}

/** Ends the wait for a history of which nothing has come for a day. */
export function endWait(tx: TenantTx, inbox: string, { error, at }: { error: string; at: string }): Promise<number> {
  return exec(tx, {
    name: 'inboxes.endHistoryWait',
    text: `update inboxes set updated_at = now(), history = history || jsonb_build_object('updated_at', $4::text,
        'status', case when history->>'requested_at' is null then 'FAILED' else 'NONE' end,
        'error', case when history->>'requested_at' is null then $3::text end)
      where company_id = $1 and _id = $2 and ${AWAITED}
        and coalesce(history->>'requested_at', history->>'updated_at')::timestamptz <= $4::timestamptz - interval '24 hours'`,
    values: [tx.companyId, inbox, error, at],
  });
}
