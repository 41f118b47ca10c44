/** Sends follow-ups as a source of due messages. */
import type { LeasedTable } from '../../../platform/work/claims/leases.ts';
import type { DueSource } from '../../sends/due/loop.ts';
import { giveUpFollowUp, sendFollowUp, settleLeftFollowUp } from './send.ts';

export const FOLLOW_UP_QUEUE: LeasedTable = {
  table: 'follow_ups',
  order: 'scheduled_at',
  open: `status = 'SCHEDULED'`,
};

export const FOLLOW_UPS: DueSource = {
  name: 'follow-ups',
  queue: FOLLOW_UP_QUEUE,
  send: sendFollowUp,
  giveUp: giveUpFollowUp,
  settleLeft: settleLeftFollowUp,
};
