import { exec, many } from '../../platform/db.ts';
import type { TenantTx } from '../../platform/tenant.ts';

/** Adds tokens to those of today (UTC), unless they would be more than `most`. Returns the day, and null when nothing was added. */
export async function takeTokens(tx: TenantTx, tokens: number, most: number): Promise<string | null> {
  const [taken] = await many<{ day: string }>(tx, {
    name: 'agents.takeTokens',
    text: `insert into agent_budgets as b (company_id, day, tokens)
      select $1, (now() at time zone 'UTC')::date, $2::bigint where $2::bigint <= $3::bigint
      on conflict (company_id, day) do update set tokens = b.tokens + excluded.tokens where b.tokens + excluded.tokens <= $3::bigint
      returning day::text`,
    values: [tx.companyId, tokens, most],
  });
  return taken?.day ?? null;
}

/** Adds tokens to those of a day, or takes some off, that were counted wrongly. */
export function addTokens(tx: TenantTx, day: string, tokens: number): Promise<number> {
  return exec(tx, {
    name: 'agents.addTokens',
    text: 'update agent_budgets set tokens = greatest(0, tokens + $3::bigint) where company_id = $1 and day = $2::date',
    values: [tx.companyId, day, tokens],
  });
}
