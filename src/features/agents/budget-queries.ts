import { exec, many } from '../../platform/store/db.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';

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

interface ConversationTokens {
  conversation: string;
  day: string;
  tokens: number;
}

/** Adds tokens to those of a conversation on a day, unless they would be more than `most`. Returns false when nothing was added. */
export async function takeConversationTokens(
  tx: TenantTx,
  { conversation, day, tokens, most }: ConversationTokens & { most: number },
): Promise<boolean> {
  const taken = await exec(tx, {
    name: 'agents.takeConversationTokens',
    text: `insert into agent_conversation_budgets as b (company_id, conversation_id, day, tokens)
      select $1, $2, $3::date, $4::bigint where $4::bigint <= $5::bigint
      on conflict (company_id, conversation_id, day) do update set tokens = b.tokens + excluded.tokens
        where b.tokens + excluded.tokens <= $5::bigint`,
    values: [tx.companyId, conversation, day, tokens, most],
  });
  return taken > 0;
}

/** Adds tokens to those of a conversation on a day, or takes some off, that were counted wrongly. */
export function addConversationTokens(
  tx: TenantTx,
  { conversation, day, tokens }: ConversationTokens,
): Promise<number> {
  return exec(tx, {
    name: 'agents.addConversationTokens',
    text: `update agent_conversation_budgets set tokens = greatest(0, tokens + $4::bigint)
      where company_id = $1 and conversation_id = $2 and day = $3::date`,
    values: [tx.companyId, conversation, day, tokens],
  });
}
