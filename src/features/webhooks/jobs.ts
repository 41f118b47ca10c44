import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { RedactContact } from '../contacts/jobs.ts';
import { redactDeliveries } from './redact.ts';
import { purgeDeliveries } from './upkeep.ts';

export const PurgeDeliveries = defineJob({
  name: 'webhooks.purge-deliveries',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '37 3 * * *',
});

export function purgeDeliveriesJob(kit: Kit): JobWork<typeof PurgeDeliveries.data> {
  return { job: PurgeDeliveries, handle: () => purgeDeliveries(kit) };
}

export function redactContactJob(kit: Kit): JobWork<typeof RedactContact.data> {
  return { job: RedactContact, handle: ({ company, contacts }) => redactDeliveries(kit, company, contacts) };
}
