/** The largest size of a conversation, whose last message changes without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Answer } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';
import { countBytes } from '../../platform/values/sizes.ts';

const RECORD = 80 * 1024;
const EVENT = 96 * 1024;
/** What the rule keeps for the last message, as a text in JSON. */
const KEPT = 17 * 1024 + 2;

const platform = await startPlatform();
const { call, database } = platform;

test('the values of a conversation leave room for the longest last message: its event is within 96 kB, and it can be closed', async () => {
  for (let n = 0; n < 40; n += 1) {
    const body = { title: '長'.repeat(180), slug: `fat_${n}`, context: 'conversation', type: 'LIST' };
    await call(201, 'POST', '/v1/custom-fields', { body });
  }
  const { contact, conversation } = await writeAsContact(platform);
  const path = `/v1/conversations/${conversation._id}`;
  const large = Array.from({ length: 75 }, () => 'x'.repeat(200));
  const few = Object.fromEntries(Array.from({ length: 37 }, (_, n) => [`fat_${n + 3}`, ['x']]));
  const base = { fat_1: large, fat_2: large, ...few };
  const last = Array.from({ length: 60 }, () => 'x'.repeat(100));
  const write = (status: number, items: string[]): Promise<Answer> =>
    call(status, 'PATCH', path, { body: { custom_fields: { ...base, fat_0: items } } });

  const { body: almost } = await write(200, last);
  const counted = countBytes(almost) - countBytes(almost.last_message) + KEPT;
  const room = RECORD - counted;
  assert.ok(room > 0 && room < 60 * 100, `${room} bytes are left`);
  const fill = (bytes: number): string[] =>
    last.map((item, n) => item + 'x'.repeat(Math.max(0, Math.min(100, bytes - n * 100))));
  expectProblem(await write(400, fill(room + 1)), 'VALIDATION_FAILED', 'custom_fields');
  const { body: full } = await write(200, fill(room));
  assert.equal(countBytes(full) - countBytes(full.last_message) + KEPT, RECORD);

  await writeAsContact(platform, { from: contact.phone_number.slice(1), text: '😀'.repeat(4_096) });
  const { body: closed } = await call(200, 'PATCH', path, { body: { status: 'CLOSED' } });
  assert.equal(closed.last_message.content, '😀'.repeat(4_096));
  assert.ok(countBytes(closed) <= RECORD);
  const events = await database.sql<{ body: string }>(
    `select body from deliveries where resource_id = $1 and event = 'CONVERSATION_UPDATED' order by seq desc limit 1`,
    [conversation._id],
  );
  const [{ body } = { body: '' }] = events;
  assert.equal(JSON.parse(body).data.status, 'CLOSED');
  assert.ok(Buffer.byteLength(body) <= EVENT);
});
