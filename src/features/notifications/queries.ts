import { exec, many } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { NOTIFICATION_KINDS, type Notification, type NotificationKind } from './schemas.ts';

const fromConversation = (what: string): string => `(select ${what} from conversations v
    join contacts s on s.company_id = v.company_id and s._id = v.contact_id where v.company_id = n.company_id and v._id = n.conversation_id)`;

const fromMessage = (what: string): string =>
  `(select ${what} from messages m where m.company_id = n.company_id and m._id = n.message_id)`;

export const COLUMNS = `n._id, n.company_id as company, n.user_id as "user", n.kind, n.conversation_id as conversation,
  ${fromConversation('v.contact_id')} as contact,
  ${fromConversation(`json_build_object('name', s.name, 'phone_number', s.phone_number, 'email', s.email)`)} as contact_summary,
  case when n.actor_id is null then null else json_build_object('type', n.actor_type, '_id', n.actor_id, 'name', n.actor_name) end as actor,
  n.message_id as message, ${fromMessage("m.email->'from'")} as author, ${fromMessage('left(m.content, 200)')} as preview,
  n.count, n.read_at, n.created_at as "createdAt", n.updated_at as "updatedAt"`;

export interface NotificationFilter {
  user: string;
  unread: boolean | null;
  kind: NotificationKind | null;
}

export function listNotifications(
  tx: TenantRead,
  { user, unread, kind }: NotificationFilter,
  window: Window,
): Promise<Page<Notification>> {
  return listPage(tx, window, {
    name: 'notifications',
    columns: COLUMNS,
    from: 'notifications n',
    filter: `company_id = $1 and user_id = $2 and ($3::boolean is null or (read_at is null) = $3) and ($4::text is null or kind = $4)`,
    values: [tx.companyId, user, unread, kind],
  });
}

export function findNotifications(tx: TenantRead, ids: string[]): Promise<Notification[]> {
  return many(tx, {
    name: 'notifications.findByIds',
    text: `select ${COLUMNS} from notifications n where n.company_id = $1 and n._id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

export function countUnread(tx: TenantRead, user: string): Promise<{ kind: NotificationKind; count: number }[]> {
  return many(tx, {
    name: 'notifications.countUnread',
    text: `select kind, count(*)::int as count from notifications where company_id = $1 and user_id = $2 and read_at is null group by kind`,
    values: [tx.companyId, user],
  });
}

/** Notes that the user is in the console, once a minute at most. */
export function noteActive(tx: TenantTx, user: string): Promise<number> {
  return exec(tx, {
    name: 'notifications.noteActive',
    text: `insert into user_activity as a (company_id, user_id, active_at) values ($1, $2, now())
      on conflict (company_id, user_id) do update set active_at = excluded.active_at
        where a.active_at is null or a.active_at < now() - interval '1 minute'`,
    values: [tx.companyId, user],
  });
}

/** Returns those of the ids that are notifications of the user. */
export async function findOwn(tx: TenantRead, user: string, ids: string[]): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'notifications.findOwn',
    text: 'select _id from notifications where company_id = $1 and user_id = $2 and _id = any($3::text[])',
    values: [tx.companyId, user, ids],
  });
  return rows.map(({ _id }) => _id);
}

/** Marks notifications of the user as read: those with these ids, or all up to a time. Locks them in the order in which batches raise them. */
export function markAsRead(
  tx: TenantTx,
  user: string,
  { ids, until }: { ids: string[] | null; until: string | null },
): Promise<number> {
  return exec(tx, {
    name: 'notifications.markAsRead',
    text: `update notifications set read_at = now(), updated_at = now() where company_id = $1 and _id = any(array(
        select _id from notifications where company_id = $1 and user_id = $2 and read_at is null
          and ($3::text[] is null or _id = any($3)) and ($4::timestamptz is null or created_at <= $4)
        order by user_id, conversation_id for update))`,
    values: [tx.companyId, user, ids, until],
  });
}

const PLACES = ['console', 'browser', 'push', 'mail'];

export interface StoredChoice {
  kind: NotificationKind;
  console: boolean;
  browser: boolean;
  push: boolean;
  mail: boolean;
}

/** Reads what the user has chosen for each kind, or its default. */
export function readChoices(tx: TenantRead, user: string): Promise<StoredChoice[]> {
  const places = PLACES.map((place) => `coalesce(t.in_${place}, notifies_by_default(k.kind, '${place}')) as ${place}`);
  return many(tx, {
    name: 'notifications.readChoices',
    text: `select k.kind, ${places.join(', ')}
      from unnest($3::text[]) k (kind) left join notification_settings t on t.company_id = $1 and t.user_id = $2 and t.kind = k.kind`,
    values: [tx.companyId, user, NOTIFICATION_KINDS],
  });
}

export function storeChoices(tx: TenantTx, user: string, choices: StoredChoice[]): Promise<number> {
  return exec(tx, {
    name: 'notifications.storeChoices',
    text: `insert into notification_settings (company_id, user_id, kind, in_console, in_browser, in_push, in_mail)
      select $1, $2, kind, console, browser, push, mail
        from unnest($3::text[], $4::boolean[], $5::boolean[], $6::boolean[], $7::boolean[]) as c (kind, console, browser, push, mail) order by kind
      on conflict (company_id, user_id, kind) do update set in_console = excluded.in_console, in_browser = excluded.in_browser,
        in_push = excluded.in_push, in_mail = excluded.in_mail, updated_at = now()`,
    values: [
      tx.companyId,
      user,
      choices.map(({ kind }) => kind),
      choices.map(({ console }) => console),
      choices.map(({ browser }) => browser),
      choices.map(({ push }) => push),
      choices.map(({ mail }) => mail),
    ],
  });
}
