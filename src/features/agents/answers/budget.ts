/** The tokens that the agents of a company may use in a day (UTC). They are reserved before a model is called. */
import type { Kit } from '../../../kit.ts';
import { addTokens, takeTokens } from '../budget-queries.ts';

/** Returns the day from which the tokens are taken, and null, reserving nothing, when those of the day do not suffice. */
export async function reserveTokens(kit: Kit, company: string, tokens: number): Promise<string | null> {
  const most = kit.config.AGENT_DAILY_TOKENS;
  return kit.database.tenantTx(company, (tx) => takeTokens(tx, tokens, most));
}

export interface Correction {
  /** The day of the reservation, which may be over. */
  day: string;
  difference: number;
}

/** Corrects a reservation once the model has said how many tokens it has used. */
export async function settleTokens(kit: Kit, company: string, { day, difference }: Correction): Promise<void> {
  await kit.database.tenantTx(company, (tx) => addTokens(tx, day, difference));
}
