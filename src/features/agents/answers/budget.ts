/**
 * The tokens that the agents of a company may use in a day (UTC), and those that they may use in one conversation. They are reserved before a
 * model is called.
 */
import type { Kit } from '../../../kit.ts';
import { addConversationTokens, addTokens, takeConversationTokens, takeTokens } from '../budget-queries.ts';
import { declareSettingLimit } from '../../../platform/values/limits.ts';

declareSettingLimit('AGENT_DAILY_TOKENS', {
  topic: 'Agents',
  what: 'Tokens per company and day',
  beyond: 'the agent hands over',
});
declareSettingLimit('AGENT_CONVERSATION_TOKENS', {
  topic: 'Agents',
  what: 'Tokens per conversation and day',
  beyond: 'the agent hands over',
});

/** Who uses tokens. An agent that is only tried has no conversation. */
export interface Spender {
  company: string;
  conversation: string | null;
}

/** Returns the day from which the tokens are taken, and null, reserving nothing, when those of the day do not suffice. */
export async function reserveTokens(
  kit: Kit,
  { company, conversation }: Spender,
  tokens: number,
): Promise<string | null> {
  const { AGENT_DAILY_TOKENS, AGENT_CONVERSATION_TOKENS: most } = kit.config;
  return kit.database.tenantTx(company, async (tx) => {
    const day = await takeTokens(tx, tokens, AGENT_DAILY_TOKENS);
    if (day === null || conversation === null) return day;
    if (await takeConversationTokens(tx, { conversation, day, tokens, most })) return day;
    await addTokens(tx, day, -tokens);
    return null;
  });
}

export interface Correction {
  /** The day of the reservation, which may be over. */
  day: string;
  difference: number;
}

/** Corrects a reservation once the model has said how many tokens it has used. */
export async function settleTokens(
  kit: Kit,
  { company, conversation }: Spender,
  { day, difference: tokens }: Correction,
): Promise<void> {
  await kit.database.tenantTx(company, async (tx) => {
    await addTokens(tx, day, tokens);
    if (conversation !== null) await addConversationTokens(tx, { conversation, day, tokens });
  });
}
