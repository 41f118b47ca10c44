/** Schedules what an agent writes to a contact who does not answer. */
import { newId } from '../../../platform/values/ids.ts';
import type { TenantTx } from '../../../platform/store/tenant.ts';
import type { Agent } from '../schemas.ts';
import type { FollowUpRule } from './schemas.ts';
import { findDayWait, listTimeZones } from './daytime.ts';
import { findHome, insertFollowUp } from './queries.ts';

const MINUTE_MS = 60_000;

export interface Scheduled {
  agent: Pick<Agent, '_id' | 'follow_ups'>;
  conversation: string;
  /** Which of the agent's follow-ups, from 0. */
  index: number;
  /** What the model has chosen instead; it comes after those of the agent. */
  chosen?: Omit<FollowUpRule, 'template'> | null;
}

/** Schedules the next follow-up in the caller's transaction, if there is one. At night it waits for the day. */
export async function scheduleFollowUp(
  tx: TenantTx,
  { agent, conversation, index, chosen = null }: Scheduled,
): Promise<void> {
  const rule = chosen ? { ...chosen, template: null } : agent.follow_ups[index];
  if (!rule) return;
  const at = await moveToDay(tx, conversation, new Date(Date.now() + rule.delay_minutes * MINUTE_MS));
  const place = { agent: agent._id, conversation, index: chosen ? agent.follow_ups.length : index };
  const { content, template } = rule;
  await insertFollowUp(tx, { _id: newId(), ...place, content, template, scheduled_at: at });
}

/** Returns this time, or the beginning of the next day where the contact lives. */
export async function moveToDay(tx: TenantTx, conversation: string, at: Date): Promise<Date> {
  const home = await findHome(tx, conversation);
  const zones = listTimeZones(home?.country ?? null, home?.time_zone ?? 'UTC');
  return new Date(at.getTime() + findDayWait(zones, at) * MINUTE_MS);
}
