/** Bulk changes of conversations: many conversations to change, and runs that are waited for. */
import type { Company, Json, Platform } from './platform.ts';
import { waitUntil } from './wait.ts';

export const RUNS = '/v1/conversations/bulk';

/** Stores open conversations of as many contacts called `name` in the inbox, and returns their ids. */
export async function insertConversations(
  { database }: Pick<Platform, 'database'>,
  { company, inbox, name = 'Ana' }: { company: string; inbox: string; name?: string },
  count: number,
): Promise<string[]> {
  const rows = await database.sql<{ _id: string }>(
    `with c as (
      insert into contacts (company_id, _id, name, source) select $1, new_id(), $3, 'API' from generate_series(1, $4::int) returning _id
    ) insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by)
    select $1, new_id(), c._id, $2, 'WAP_AUTO_CLOSER', 'NONE' from c returning _id`,
    [company, inbox, name, count],
  );
  return rows.map(({ _id }) => _id);
}

/** Stores an inbox of the company, whose network nobody calls. */
export async function insertInbox({ database }: Pick<Platform, 'database'>, company: string): Promise<string> {
  const [row] = await database.sql<{ _id: string }>(
    `insert into inboxes (company_id, _id, name, channel) values ($1, new_id(), 'x', 'WAP_AUTO_CLOSER') returning _id`,
    [company],
  );
  return row?._id ?? '';
}

/** Waits until a run has ended, and returns its record. */
export function awaitRun(
  { call, demo }: Platform,
  id: string,
  { key, path = RUNS }: Pick<Company, 'key'> & { path?: string } = demo,
): Promise<Json> {
  return waitUntil('the run to end', async () => {
    const { body } = await call(200, 'GET', `${path}/${id}`, { key });
    return body.finished_at === null ? null : body;
  });
}

/** Lets no run of any kind begin until the returned function is called. */
export async function holdRuns({ database }: Pick<Platform, 'database'>): Promise<() => Promise<void>> {
  await database.sql(`create function hold() returns trigger language plpgsql as
    $$ begin new.is_waiting = false; return new; end $$`);
  await database.sql('create trigger held before insert on runs for each row execute function hold()');
  return async () => {
    await database.sql('drop function hold cascade');
    await database.sql('update runs set held_until = now() where finished_at is null and not is_waiting');
  };
}
