/** Leaves away texts in the transaction that stores the messages of contacts. */
import { exec } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

/** A conversation whose contact has written while the inbox is closed. */
export interface LeftAwayText {
  company: string;
  conversation: string;
  /** Null if the inbox never opens again. */
  opensAt: string | null;
  /** When the inbox closed, by its present hours; null if that is long ago. */
  closedAt: string | null;
}

/**
 * Leaves an away text in each conversation that has none yet from this closing of the inbox until it opens, also if the hours have changed
 * since. The conversations are locked already.
 */
export function leaveAwayTexts(tx: SystemTx, left: LeftAwayText[]): Promise<number> {
  return exec(tx, {
    name: 'away-texts.leave',
    text: `insert into away_texts (company_id, _id, conversation_id, closed_until)
      select l.company_id, new_id(), l.conversation_id, coalesce(l.opens_at, 'infinity')
      from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) as l (company_id, conversation_id, opens_at, closed_at)
      where not exists (select from away_texts a
        where a.company_id = l.company_id and a.conversation_id = l.conversation_id and a.closed_until > now()
          and a.created_at >= coalesce(l.closed_at, '-infinity'))
      order by 1, 3
      on conflict (company_id, conversation_id, closed_until) do nothing`,
    values: [
      left.map(({ company }) => company),
      left.map(({ conversation }) => conversation),
      left.map(({ opensAt }) => opensAt),
      left.map(({ closedAt }) => closedAt),
    ],
  });
}
