/** Statements about users of all companies who are away and have not read what concerns them. */
import { exec, many, maybeOne } from '../../../platform/store/db.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import { HAS_REQUIRED_FACTOR } from '../../users/second-factor-sql.ts';
import { COLUMNS } from '../queries.ts';
import type { Notification } from '../schemas.ts';

export interface AwayUser {
  company: string;
  user: string;
}

/** The times in minutes: see away.ts. */
export interface Patience {
  away: number;
  between: number;
  oldest: number;
}

const minutes = (at: number): string => `make_interval(mins => $${at})`;

/** The notifications that are to be mailed: unread for some time, not mailed since they were raised, and wanted by mail. `$1` to `$3` are the patience. */
const DUE = `n.read_at is null and (n.mailed_at is null or n.mailed_at < n.created_at)
  and n.created_at < now() - ${minutes(1)} and n.created_at > now() - ${minutes(3)}
  and coalesce(t.in_console, notifies_by_default(n.kind, 'console')) and coalesce(t.in_mail, notifies_by_default(n.kind, 'mail'))
  and (n.conversation_id is null or sees_conversation(n.company_id, n.conversation_id, n.user_id))`;
const CHOICE = `left join notification_settings t on t.company_id = n.company_id and t.user_id = n.user_id and t.kind = n.kind`;
/** A user is away and has had no mail since they were last here, or for long enough. One who has never been in the console misses nothing there. */
const MAY = `a.active_at < now() - ${minutes(1)}
  and (a.mailed_at is null or a.mailed_at < a.active_at or a.mailed_at < now() - ${minutes(2)})`;

const toValues = ({ away, between, oldest }: Patience): number[] => [away, between, oldest];

/** Lists users to whom a mail is due: one of each company in turn, first those whose notifications have waited longest. */
export function listAway(tx: SystemTx, patience: Patience, limit: number): Promise<AwayUser[]> {
  return many(tx, {
    name: 'notifications.listAway',
    text: `select n.company_id as company, n.user_id as "user" from notifications n ${CHOICE}
        join companies c on c._id = n.company_id and c.status = 'ACTIVE'
        join users u on u.company_id = n.company_id and u._id = n.user_id and u.status = 'ACTIVE'
        join user_activity a on a.company_id = n.company_id and a.user_id = n.user_id
      where ${DUE} and ${MAY} and ${HAS_REQUIRED_FACTOR} group by n.company_id, n.user_id
      order by row_number() over (partition by n.company_id order by min(n.created_at), n.user_id), n.company_id limit $4`,
    values: [...toValues(patience), limit],
  });
}

/**
 * Notes that the user is mailed now, and what. Returns the notifications, the last raised first; none if no mail is due any more, for example
 * because another worker has claimed it.
 */
export function claimMail(tx: SystemTx, { company, user }: AwayUser, patience: Patience): Promise<Notification[]> {
  return many(tx, {
    name: 'notifications.claimMail',
    text: `with due as materialized (
        select n.company_id, n._id from notifications n ${CHOICE} where n.company_id = $4 and n.user_id = $5 and ${DUE}
      ), claimed as (
        update user_activity a set mailed_at = now()
          where a.company_id = $4 and a.user_id = $5 and ${MAY} and exists (select from due) returning a.user_id
      ), marked as (
        update notifications n set mailed_at = now() from due, claimed where n.company_id = due.company_id and n._id = due._id returning n._id
      )
      select ${COLUMNS} from notifications n where n.company_id = $4 and n._id in (select _id from marked) order by n.created_at desc, n._id desc`,
    values: [...toValues(patience), company, user],
  });
}

/** Forgets a mail that certainly was not sent, so that it can be tried again. */
export function releaseMail(tx: SystemTx, { company, user }: AwayUser, ids: string[]): Promise<number> {
  return exec(tx, {
    name: 'notifications.releaseMail',
    text: `with unmarked as (update notifications set mailed_at = null where company_id = $1 and _id = any($3::text[]))
      update user_activity set mailed_at = null where company_id = $1 and user_id = $2`,
    values: [company, user, ids],
  });
}

export interface Receiver {
  name: string;
  email: string;
  language: string;
  company: string;
}

/** Finds to whom a mail goes; null for a user who has no access. */
export function findReceiver(tx: SystemTx, { company, user }: AwayUser): Promise<Receiver | null> {
  return maybeOne(tx, {
    name: 'notifications.findReceiver',
    text: `select u.name, u.email, u.language, c.name as company from users u
      join companies c on c._id = u.company_id and c.status = 'ACTIVE'
      where u.company_id = $1 and u._id = $2 and u.status = 'ACTIVE' and ${HAS_REQUIRED_FACTOR}`,
    values: [company, user],
  });
}
