/** Places in the daily limit of a business, when messages fail after the network has accepted them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber, waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { lockRows } from '../../../test/support/rows.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { readMessage, reportStatuses, silenceNetwork } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, demo, database } = platform;
await waitUntilCopied(platform, demo.inbox);

const countReached = async (): Promise<number> => {
  const [row] = await database.sql<{ reached: number }>(
    'select coalesce(sum(people), 0)::int as reached from portfolio_minutes',
  );
  return row?.reached ?? 0;
};

const waitForReached = (wanted: number): Promise<unknown> =>
  waitUntil(`${wanted} people count`, async () => (await countReached()) === wanted);

async function sendTo(number: string): Promise<Json> {
  const template = { name: 'hello_world', language: 'pt_BR' };
  const body = { inboxId: demo.inbox, phone: `+${number}`, message: { template } };
  return (await call(201, 'POST', '/v1/messages/send-template', { body })).body;
}

const fail = (...messages: Json[]): Promise<void> =>
  reportStatuses(
    platform,
    ...messages.map(({ external_id: id }) => ({
      id,
      status: 'failed',
      errors: [{ code: 131026, title: 'Undeliverable' }],
    })),
  );

test('a template that the network reports as failed later gives its place in the daily limit back, once', async () => {
  const before = await countReached();
  const [first, second] = [await sendTo(makePhoneNumber()), await sendTo(makePhoneNumber())];
  assert.equal(await countReached(), before + 2);
  await fail(first);
  await waitForReached(before + 1);
  await fail(first, first);
  await fail(second);
  await waitForReached(before);
  await fail(first, second);
  const third = await sendTo(makePhoneNumber());
  await fail(third);
  await waitForReached(before);
});

test('a person whom another message has reached since keeps counting when the earlier message fails', async () => {
  const before = await countReached();
  const number = makePhoneNumber();
  const first = await sendTo(number);
  await sendTo(number);
  await fail(first);
  const other = await sendTo(makePhoneNumber());
  await fail(other);
  await waitForReached(before + 1);
});

test('a place of a bulk run is given back exactly once, also when the database connection is lost while it is given back', async () => {
  const before = await countReached();
  const contacts = JSON.stringify(Array.from({ length: 4 }, () => ({ phone: makePhoneNumber() })));
  const parts = { inboxId: demo.inbox, templateName: 'hello_world', languageCode: 'pt_BR', contacts };
  const { body } = await postForm(platform, [201, '/v1/messages/send-bulk-template'], parts);
  assert.equal(await countReached(), before + 4);
  const sent = await Promise.all(body.sentContacts.map(({ message }: Json) => readMessage(platform, message)));
  const letGo = await lockRows(platform, 'portfolios', ['WAP_AUTO_CLOSER'], 'channel');
  const failing = fail(...sent.slice(0, 3));
  await waitUntil('a connection to be cut', async () => {
    const cut = await database.sql<{ done: boolean }>(
      `select pg_terminate_backend(pid) as done from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%release_people%'`,
    );
    return cut.length > 0;
  });
  await letGo();
  await failing;
  await waitForReached(before + 1);
  assert.equal((await database.sql('select 1 from message_places where is_due')).length, 0);
});
