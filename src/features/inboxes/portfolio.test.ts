/** The limit of people that a business may write to in a day: where it comes from, and that it is exact. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildNotification, openNetwork } from '../../../test/support/network.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { reachPeople, returnPlaces, type Portfolio } from './portfolio.ts';

const platform = await startPlatform();
const network = await openNetwork(platform);
const { demo, database } = platform;
const business: Portfolio = { channel: 'WAP_AUTO_CLOSER', portfolio: 'business-of-the-test' };
const tx = platform.running.kit.database.tenantTx;
const reach = (...people: string[]) => tx(demo._id, (each) => reachPeople(each, business, people));
const setLimit = (most: number | null): Promise<unknown> =>
  database.sql('update portfolios set people_limit = $1 where portfolio = $2', [most, business.portfolio]);

const readLimit = async (): Promise<{ people_limit: number | null; accounts: string[] } | null> => {
  const [row] = await database.sql<{ people_limit: number | null; accounts: string[] }>(
    'select people_limit, accounts from portfolios where accounts <> $1',
    [[]],
  );
  return row ?? null;
};

test('the daily message limit of a business is read when an inbox connects, and updated by notifications of the network', async () => {
  const read = await waitUntil('the limit', readLimit);
  assert.equal(read.people_limit, 2_000);
  const [waba = ''] = read.accounts;
  const notify = async (value: object): Promise<number | null> => {
    await network.post(
      200,
      buildNotification({ phone: { id: '1', waba }, field: 'business_capability_update', value }),
    );
    return (await readLimit())?.people_limit ?? null;
  };
  assert.equal(
    await notify({ max_daily_conversations_per_business: 10_000, max_phone_numbers_per_business: 2 }),
    10_000,
  );
  assert.equal(await notify({ max_daily_conversations_per_business: -1 }), -1);
  assert.equal(await notify({ max_phone_numbers_per_business: 2 }), -1);
});

test('twenty senders at once never exceed the daily limit, and a person counts once', async () => {
  await reach();
  await reach('first');
  await setLimit(11);
  const places = await Promise.all(Array.from({ length: 20 }, (_, n) => reach('first', `person-${n}`)));
  assert.equal(places.filter((each) => each.size === 2).length, 10);
  assert.ok(places.every((each) => each.has('first')));
});

test('a person to whom the send failed no longer counts toward the daily limit, unless another message had reached that person', async () => {
  await setLimit(null);
  const before = await reach('known');
  await setLimit(0);
  const again = await reach('known');
  assert.equal(again.get('known')?.reached_before, before.get('known')?.reached_at);
  await tx(demo._id, (each) => returnPlaces(each, business, [...again.values()]));
  assert.ok((await reach('known')).has('known'));
  await setLimit(null);
  const fresh = await reach('fresh');
  const [{ people } = { people: 0 }] = await database.sql<{ people: number }>(
    'select sum(people)::int as people from portfolio_minutes where portfolio = $1',
    [business.portfolio],
  );
  await setLimit(people);
  assert.equal((await reach('other')).size, 0);
  await tx(demo._id, (each) => returnPlaces(each, business, [...fresh.values()]));
  assert.equal((await reach('other')).size, 1);
});

test('a person no longer counts toward the daily limit a day later', async () => {
  await setLimit(0);
  assert.equal((await reach('tomorrow')).size, 0);
  await database.sql(`update portfolio_minutes set minute = minute - interval '25 hours' where portfolio = $1`, [
    business.portfolio,
  ]);
  await setLimit(1);
  assert.equal((await reach('tomorrow')).size, 1);
});
