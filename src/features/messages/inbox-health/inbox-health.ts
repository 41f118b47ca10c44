/** Whether an inbox works: its connection, its traffic, what its network thinks of it, and what failed lately. */
import type { Kit } from '../../../kit.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { readDayLimit } from '../../inboxes/portfolio.ts';
import { readInbox } from '../../inboxes/inboxes.ts';
import { countFailures, findTraffic, listUnreadable } from './queries.ts';
import { MOST_COUNTED, MOST_UNREADABLE, type InboxHealth } from './schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

const DAY_MS = 86_400_000;
const UNLIMITED = -1;
/** As long as people still ask where a message is. */
const UNREADABLE_DAYS = declareLimit(7, {
  topic: 'Messages',
  what: 'Health of an inbox: age of an unreadable message',
  unit: 'days',
  beyond: 'left out',
});

export async function readInboxHealth(kit: Kit, tenant: Tenant, id: string): Promise<InboxHealth> {
  const { read } = tenant;
  const { status, connection, standing } = await readInbox(kit, tenant, id);
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const week = new Date(Date.now() - UNREADABLE_DAYS * DAY_MS).toISOString();
  const [traffic, causes, limit, unreadable] = await Promise.all([
    findTraffic(read, id),
    countFailures(read, id, { since, most: MOST_COUNTED + 1 }),
    readDayLimit(kit, read, id),
    listUnreadable(read, id, { since: week, most: MOST_UNREADABLE }),
  ]);
  const count = causes.reduce((sum, each) => sum + each.count, 0);
  return {
    _id: id,
    status,
    connection,
    ...(standing && { standing }),
    ...traffic,
    daily_limit: limit && {
      people: limit.people_limit === UNLIMITED ? null : limit.people_limit,
      is_unlimited: limit.people_limit === UNLIMITED,
      used: limit.people,
    },
    failures: { since, count, is_complete: count <= MOST_COUNTED, causes },
    unreadable,
  };
}
