/** Slots of numbers and pairs, by the database's clock alone: nothing here depends on how fast the machine is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSecondProcess } from '../../../test/support/network.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { holdLane, holdPairs, reservePairs, reserveSlots, type Lane, type Slots } from './pacing.ts';

const platform = await startPlatform();
const peer = await startSecondProcess(platform);
const { demo } = platform;
const first = platform.running.kit.database;
const databases = [first, peer.kit.database] as const;

const reserve = (lane: Lane, most: number, process: 0 | 1 = 0): Promise<Slots> =>
  databases[process].tenantTx(demo._id, (tx) => reserveSlots(tx, lane, most));
const makeLane = (name: string, rate: number): Lane => ({ number: `number ${name}`, account: `account ${name}`, rate });

/** Checks what is left of a pause that began at `beganMs` or a little later. The database counts parts of a millisecond as well. */
function assertLeft(ms: number, pauseMs: number, beganMs: number): void {
  assert.ok(ms <= pauseMs && ms >= pauseMs - (Date.now() - beganMs) - 1, `${ms} ms`);
}

test('two processes never use the same sending slot of a phone number, and reserve slots at most a second ahead', async () => {
  const lane = makeLane('shared', 100);
  const readNext = async (): Promise<{ next: number; ahead: number }> => {
    const [row] = await platform.database.sql<{ next: number; ahead: number }>(
      `select extract(epoch from next_at)::float8 as next, extract(epoch from next_at - clock_timestamp())::float8 as ahead
        from send_paces where lane = $1`,
      [lane.number],
    );
    return row ?? { next: 0, ahead: 0 };
  };
  await reserve(lane, 1);
  const { next: begin } = await readNext();
  let granted = 0;
  const take = async (process: 0 | 1): Promise<void> => {
    while (granted < 150) {
      const slots = await reserve(lane, 7, process);
      granted += slots.granted;
      if (slots.granted === 0) await sleep(20);
      assert.ok(slots.firstInMs + (slots.granted * 1000) / lane.rate <= 1_010, JSON.stringify(slots));
    }
  };
  await Promise.all([take(0), take(1)]);
  const { next, ahead } = await readNext();
  assert.ok(next - begin >= granted / lane.rate - 0.001, `${granted} slots in ${next - begin} s`);
  assert.ok(ahead <= 1.01, `${ahead} s ahead`);
});

test('a phone number that was not used for a while does not send faster afterwards', async () => {
  const lane = makeLane('idle', 10);
  await reserve(lane, 1);
  await platform.database.sql(`update send_paces set next_at = now() - interval '1 hour' where lane = $1`, [
    lane.number,
  ]);
  assert.equal((await reserve(lane, 1_000)).granted, 10);
});

test('a phone number pauses after each rate-limit refusal of the network, longer each time, and refusals at the same moment count once', async () => {
  const lane = makeLane('refused', 100);
  // For the database, all that a transaction does happens at the same moment.
  const holdTwice = () =>
    first.tenantTx(demo._id, async (tx) => [
      await holdLane(tx, 'number', lane.number),
      await holdLane(tx, 'number', lane.number),
    ]);
  const pause = async (): Promise<number> => (await reserve(lane, 1)).firstInMs;
  const firstMs = Date.now();
  assert.deepEqual(await holdTwice(), [1, 0]);
  assertLeft(await pause(), 2_000, firstMs);
  await platform.database.sql(`update send_paces set held_until = now() where lane = $1`, [lane.number]);
  const secondMs = Date.now();
  assert.deepEqual(await holdTwice(), [1, 0]);
  assertLeft(await pause(), 4_000, secondMs);
});

test('all phone numbers of an account pause after a rate-limit refusal for the account', async () => {
  const [one, two] = [makeLane('one', 100), { ...makeLane('two', 100), account: 'account one' }];
  await reserve(two, 1);
  const beganMs = Date.now();
  await first.tenantTx(demo._id, (tx) => holdLane(tx, 'account', one.account));
  assertLeft((await reserve(two, 1)).firstInMs, 60_000, beganMs);
});

test('messages to the same person are at least six seconds apart, and wait at least four seconds after a refusal for that person', async () => {
  const lane = makeLane('pair', 100);
  await first.tenantTx(demo._id, async (tx) => {
    const waits = async (number: string, ...people: string[]): Promise<number[]> => [
      ...(await reservePairs(tx, { number }, people)).values(),
    ];
    assert.deepEqual(await waits(lane.number, '551', '552'), [0, 0]);
    assert.deepEqual(await waits(lane.number, '551', '552'), [6_000, 6_000]);
    await holdPairs(tx, { number: 'number new' }, ['551']);
    assert.deepEqual(await waits('number new', '551'), [4_000]);
  });
});
