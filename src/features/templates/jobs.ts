import type { Kit } from '../../kit.ts';
import type { JobWork } from '../../platform/work/jobs.ts';
import { InboxConnected } from '../inboxes/connected/jobs.ts';
import { readShared } from './connected.ts';

export function inboxConnectedJob(kit: Kit): JobWork<typeof InboxConnected.data> {
  return { job: InboxConnected, handle: ({ company, inbox }) => readShared(kit, company, inbox) };
}
