/** Queries of registered OAuth clients. Nobody has logged in when a client registers, so it belongs to no company. */
import { exec, maybeOne, one } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export interface RegisteredClient {
  _id: string;
  name: string;
  redirect_uris: string[];
}

export function insertClient(
  tx: SystemTx,
  { _id, name, redirect_uris }: RegisteredClient,
): Promise<{ created_at: string }> {
  return one(tx, {
    name: 'connected-apps.insertClient',
    text: 'insert into oauth_clients (_id, name, redirect_uris) values ($1, $2, $3) returning created_at',
    values: [_id, name, redirect_uris],
  });
}

export function findClient(tx: SystemTx, id: string): Promise<RegisteredClient | null> {
  return maybeOne(tx, {
    name: 'connected-apps.findClient',
    text: 'select _id, name, redirect_uris from oauth_clients where _id = $1',
    values: [id],
  });
}

/** Notes that a client is in use, at most once a day. A client that is an address has no row. */
export function touchClient(tx: SystemTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'connected-apps.touchClient',
    text: `update oauth_clients set used_at = now() where _id = $1 and (used_at is null or used_at < now() - interval '1 day')`,
    values: [id],
  });
}

/** Removes the oldest clients that nobody has connected, except the newest `most`. */
export function trimClients(tx: SystemTx, most: number): Promise<number> {
  return exec(tx, {
    name: 'connected-apps.trimClients',
    text: `delete from oauth_clients where _id in (select _id from oauth_clients where used_at is null and created_at <= (
        select created_at from oauth_clients where used_at is null order by created_at desc offset $1 limit 1)
      order by created_at limit 100 for update skip locked)`,
    values: [most],
  });
}

/** Removes clients that nobody has connected for a day, and those whose last connection has expired. */
export function purgeClients(tx: SystemTx, restDays: number): Promise<number> {
  return exec(tx, {
    name: 'connected-apps.purgeClients',
    text: `delete from oauth_clients where used_at < now() - make_interval(days => $1)
      or (used_at is null and created_at < now() - interval '1 day')`,
    values: [restDays],
  });
}
