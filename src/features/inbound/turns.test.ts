import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  openNetwork,
  makeMessageId,
  type Phone,
} from '../../../test/support/network.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { createTurnQueue } from './turns.ts';

const item = (key: string, number: number, size = 1) => ({ key, number, size });
const names = (batch: { key: string; number: number }[]): string[] => batch.map(({ key, number }) => key + number);

describe('the queue of callbacks', () => {
  test('the queue of callbacks takes one item of each key, then a second item of each key, in the order in which they came', () => {
    const line = createTurnQueue<ReturnType<typeof item>>({ size: 5, sizePerKey: 5 });
    for (const number of [1, 2, 3, 4]) line.add(item('a', number));
    line.add(item('b', 1));
    line.add(item('c', 1));
    line.add(item('c', 2));
    assert.deepEqual(names(line.nextBatch()), ['a1', 'b1', 'c1', 'a2', 'c2']);
    assert.deepEqual(names(line.nextBatch()), ['a3', 'a4']);
    assert.equal(line.waiting(), 0);
  });

  test('the queue of callbacks puts a single item into the next batch, however many items of another key wait before it', () => {
    const line = createTurnQueue<ReturnType<typeof item>>({ size: 500, sizePerKey: 100 });
    for (let number = 0; number < 20_000; number += 1) line.add(item('flood', number));
    line.nextBatch();
    line.add(item('lone', 1));
    const batch = line.nextBatch();
    assert.ok(names(batch).includes('lone1'));
    assert.equal(batch.length, 101);
  });

  test('the queue of callbacks gives the next batch to the keys that did not fit into this one', () => {
    const line = createTurnQueue<ReturnType<typeof item>>({ size: 3, sizePerKey: 3 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) for (const number of [1, 2]) line.add(item(key, number));
    assert.deepEqual(names(line.nextBatch()), ['a1', 'b1', 'c1']);
    assert.deepEqual(names(line.nextBatch()), ['d1', 'e1', 'a2']);
    assert.deepEqual(names(line.nextBatch()), ['b2', 'c2', 'd2']);
  });

  test('the queue of callbacks gives an item that is larger than a batch its own batch', () => {
    const line = createTurnQueue<ReturnType<typeof item>>({ size: 3, sizePerKey: 3 });
    line.add(item('a', 1, 7));
    line.add(item('b', 1));
    assert.deepEqual(names(line.nextBatch()), ['a1']);
    assert.deepEqual(names(line.nextBatch()), ['b1']);
  });
});

describe('next to a callback of thousands of messages', async () => {
  const platform = await startPlatform();
  const network = await openNetwork(platform);
  const MESSAGES = 4_000;

  async function receiveBeside(large: Phone, small: Phone): Promise<void> {
    const from = makePhoneNumber();
    const body = buildMessageNotification(large, ...Array.from({ length: MESSAGES }, () => ({ from })));
    const stored = async (): Promise<number> => {
      const [row] = await platform.database.sql<{ count: number }>(
        'select count(*)::int as count from messages where inbox_id = $1',
        [large.inbox],
      );
      return row?.count ?? 0;
    };
    const answered = network.post(200, body);
    await waitUntil('the first messages', async () => (await stored()) > 0);
    await network.post(200, buildMessageNotification(small, { from: makePhoneNumber(), id: makeMessageId() }));
    const beside = await stored();
    assert.ok(beside < MESSAGES / 2, `${beside} of ${MESSAGES} were stored before it`);
    await answered;
    assert.ok((await stored()) >= MESSAGES);
  }

  test('a message to another phone number is stored long before the end of a callback with thousands of messages', async () =>
    receiveBeside(await connectPhone(platform), await connectPhone(platform)));

  test('a message to the same phone number is stored long before the end of a callback with thousands of messages', async () => {
    const phone = await connectPhone(platform);
    await receiveBeside(phone, phone);
  });

  test('a callback that follows one with a million unreadable parts is stored before these are kept aside', async () => {
    const [junk, phone] = [await connectPhone(platform), await connectPhone(platform)];
    const parts = Array.from({ length: 1_000_000 }, () => 0);
    const rows = async (): Promise<number> => {
      const [row] = await platform.database.sql<{ count: number }>(
        'select count(*)::int as count from callbacks_aside',
      );
      return row?.count ?? 0;
    };
    const before = await rows();
    const answered = network.post(200, { ...buildMessageNotification(junk), entry: parts });
    await waitUntil('the first parts', async () => (await rows()) > before);
    await network.post(200, buildMessageNotification(phone, { from: makePhoneNumber() }));
    const beside = (await rows()) - before;
    await answered;
    const after = (await rows()) - before;
    assert.ok(beside < after, `all ${after} rows stood there before it`);
    assert.ok(after <= 2_000, `${after} rows for one body`);
    const kept = await platform.database.sql<{ raw: Buffer }>('select raw from callbacks_aside');
    const count = kept.map(({ raw }) => JSON.parse(raw.toString())).reduce((sum, raw) => sum + [raw].flat().length, 0);
    assert.equal(count, parts.length);
  });
});
