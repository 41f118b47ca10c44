/** What triggers note about messages: their changes, those without an outcome, and the last acceptance of an inbox. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectAs } from '../../../test/support/database.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { ROLES } from '../../platform/store/roles.ts';
import { purgeCallbacks } from '../inbound/upkeep.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

/** Returns the rows that only one of the two tables has. */
const compare = (): Promise<object[]> =>
  database.sql(`with stored as (
      select company_id, _id, inbox_id, updated_at, case when status = 'QUEUED' then created_at end as queued_at from messages
    ), noted as (select company_id, _id, inbox_id, updated_at, queued_at from message_activity)
    (select * from stored except all select * from noted) union all (select * from noted except all select * from stored)`);

test('each message is in the list by change exactly once, whatever writes, changes or removes it', async () => {
  const { conversation, message } = await writeAsContact(platform);
  const sent = await sendText(platform, conversation._id);
  assert.deepEqual(await compare(), []);
  await database.sql(`update messages set status = 'QUEUED', created_at = now() - interval '1 hour' where _id = $1`, [
    sent._id,
  ]);
  assert.deepEqual(await compare(), []);
  await database.sql(`update messages set status = 'READ', updated_at = now() where conversation_id = $1`, [
    conversation._id,
  ]);
  assert.deepEqual(await compare(), []);
  await call(200, 'DELETE', `/v1/contacts/${conversation.contact}`);
  const left = await database.sql('select from message_activity where _id = any($1)', [[sent._id, message._id]]);
  assert.deepEqual([left, await compare()], [[], []]);
});

test('messages of one inbox that are accepted at the same moment do not wait for each other', async () => {
  const { conversation } = await writeAsContact(platform);
  const ids = [await sendText(platform, conversation._id), await sendText(platform, conversation._id)].map(
    ({ _id }) => _id,
  );
  await database.sql('update messages set sent_at = null where _id = any($1)', [ids]);
  const clients = [await connectAs(ROLES.system, database), await connectAs(ROLES.system, database)];
  const at = new Date(Date.now() + 3_600_000).toISOString();
  for (const [place, client] of clients.entries()) {
    await client.query(`begin; set local lock_timeout = '100ms'`);
    await client.query('update messages set sent_at = $2 where _id = $1', [ids[place], at]);
  }
  for (const client of clients) {
    await client.query('commit');
    await client.end();
  }
  const { last_outbound_at } = (await call(200, 'GET', `/v1/inboxes/${demo.inbox}/health`)).body;
  assert.equal(last_outbound_at, at);
});

test('of the acceptances of an inbox only the last one is kept', async () => {
  const { conversation } = await writeAsContact(platform);
  await sendText(platform, conversation._id);
  await database.sql(
    `insert into inbox_acceptances (company_id, inbox_id, at) select company_id, inbox_id, max(at) - n * interval '1 day'
      from inbox_acceptances, generate_series(1, 3) n where inbox_id = $1 group by company_id, inbox_id, n`,
    [demo.inbox],
  );
  const last = 'select inbox_id, max(at) as at from inbox_acceptances group by 1 order by 1';
  const before = await database.sql(last);
  await purgeCallbacks(platform.running.kit);
  assert.deepEqual(await database.sql(last), before);
  const earlier = `select from inbox_acceptances a join inbox_acceptances b using (company_id, inbox_id) where a.at < b.at`;
  assert.deepEqual(await database.sql(earlier), []);
});
