import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { createRandom } from '../../../test/support/random.ts';
import { advanceEnrollment, advanceSend, type SentMessage } from './enrollment-life.ts';
import type { EnrollmentLife, SendLife, SendPlace } from './ingest-enrollment-queries.ts';
import { advance, type StatusReport } from './lifecycle.ts';
import type { MessageStatus } from './schemas.ts';

const RUNS = 20_000;
const EARLIER = '2026-11-20T09:00:00.000Z';
const AT = '2026-11-20T10:00:00.000Z';
const NOW = '2026-11-20T10:00:05.000Z';
const TOMORROW = '2026-11-21T10:00:05.000Z';

const QUEUED: SentMessage = {
  status: 'QUEUED',
  external_id: null,
  errors: [],
  failure_reason: null,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  failed_at: null,
};
const fail = (code: number | string): SentMessage => ({
  ...QUEUED,
  status: 'FAILED',
  errors: [{ code, title: 'Not sent', message: '', details: '' }],
  failed_at: AT,
});
/** What a message becomes. */
const CHANGES = {
  accepted: { ...QUEUED, status: 'SENT', external_id: 'x', sent_at: AT },
  held: { ...QUEUED, status: 'SENT', external_id: 'x' },
  delivered: { ...QUEUED, status: 'DELIVERED', external_id: 'x', delivered_at: AT },
  read: { ...QUEUED, status: 'READ', external_id: 'x', read_at: AT },
  failed: fail(131026),
  unsent: fail('CAMPAIGN_CANCELLED'),
} satisfies Record<string, SentMessage>;
type Change = keyof typeof CHANGES;
const NAMES = Object.keys(CHANGES) as Change[];

const UNSENT: SendLife = {
  accepted_at: null,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  failed_at: null,
  code: null,
  cause: null,
};
const PENDING: EnrollmentLife = {
  status: 'PENDING',
  current_step: 0,
  next_run_at: null,
  completed_at: null,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  replied_at: null,
  failed_at: null,
  failure_reason: null,
};
const SENT: EnrollmentLife = { ...PENDING, status: 'SENT', sent_at: EARLIER };
const DELIVERED: EnrollmentLife = { ...SENT, status: 'DELIVERED', delivered_at: EARLIER };
const READ: EnrollmentLife = { ...DELIVERED, status: 'READ', read_at: EARLIER };
const reason = { code: 'PROVIDER_UNREACHABLE', message: 'Outcome unknown' };
const BEGINNINGS: Record<EnrollmentLife['status'], EnrollmentLife> = {
  PENDING,
  SENT,
  DELIVERED,
  READ,
  REPLIED: { ...SENT, status: 'REPLIED', replied_at: EARLIER },
  COMPLETED: { ...SENT, status: 'COMPLETED', completed_at: EARLIER },
  FAILED: { ...PENDING, status: 'FAILED', completed_at: EARLIER, failed_at: EARLIER, failure_reason: reason },
  SKIPPED: { ...PENDING, status: 'SKIPPED', completed_at: EARLIER },
  CANCELLED: { ...PENDING, status: 'CANCELLED', completed_at: EARLIER },
};

const FIRST: SendPlace = {
  step: 0,
  is_latest: true,
  steps: 3,
  delay_minutes: 1_440,
  is_over: false,
  has_contact: true,
  now: NOW,
};
const LAST: SendPlace = { ...FIRST, step: 2, delay_minutes: null };
const ONLY: SendPlace = { ...FIRST, steps: 1, delay_minutes: null };

/** Applies a change of the QUEUED message at this place. */
function move(life: EnrollmentLife, change: Change, place: SendPlace): EnrollmentLife {
  return advanceEnrollment(life, advanceSend(UNSENT, 'QUEUED', CHANGES[change], NOW), place);
}

/** The status of an enrollment after its message was accepted, held back, delivered, read, has failed, or was not sent any more. */
const STATUSES: Record<EnrollmentLife['status'], EnrollmentLife['status'][]> = {
  PENDING: ['SENT', 'PENDING', 'DELIVERED', 'READ', 'FAILED', 'FAILED'],
  SENT: ['SENT', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'FAILED'],
  DELIVERED: ['DELIVERED', 'DELIVERED', 'DELIVERED', 'READ', 'FAILED', 'FAILED'],
  READ: ['READ', 'READ', 'READ', 'READ', 'FAILED', 'FAILED'],
  REPLIED: ['REPLIED', 'REPLIED', 'REPLIED', 'REPLIED', 'FAILED', 'REPLIED'],
  COMPLETED: ['SENT', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'FAILED'],
  FAILED: ['SENT', 'PENDING', 'DELIVERED', 'READ', 'FAILED', 'FAILED'],
  SKIPPED: ['SKIPPED', 'SKIPPED', 'SKIPPED', 'SKIPPED', 'SKIPPED', 'SKIPPED'],
  CANCELLED: ['CANCELLED', 'CANCELLED', 'CANCELLED', 'CANCELLED', 'CANCELLED', 'CANCELLED'],
};

test('each change of a message gives its enrollment the status of the table, from each status', () => {
  for (const [status, life] of Object.entries(BEGINNINGS)) {
    const expected = STATUSES[life.status];
    for (const place of [FIRST, ONLY])
      assert.deepEqual(
        NAMES.map((change) => move(life, change, place).status),
        expected,
        status,
      );
    const isOpen = !['REPLIED', 'SKIPPED', 'CANCELLED'].includes(status);
    assert.deepEqual(
      NAMES.map((change) => move(life, change, LAST).status),
      // The network has sent the last message of a sequence.
      expected.map((next, place) => (isOpen && [0, 2, 3].includes(place) ? 'COMPLETED' : next)),
      `${status}, last step`,
    );
  }
});

const PLANNED = { current_step: 1, next_run_at: TOMORROW, completed_at: null };
const ENDED = { current_step: 0, next_run_at: null, completed_at: NOW };
const OPEN = { current_step: 0, next_run_at: null, completed_at: null };
const ENDED_BEFORE = { ...ENDED, completed_at: EARLIER };
/** What is sent next, after the same changes in the same order. */
const PLANS: [string, EnrollmentLife, SendPlace, object[]][] = [
  ['the first step', PENDING, FIRST, [PLANNED, PLANNED, PLANNED, PLANNED, ENDED, ENDED]],
  ['the only step', PENDING, ONLY, [ENDED, ENDED, ENDED, ENDED, ENDED, ENDED]],
  ['a cancelled campaign', PENDING, { ...FIRST, is_over: true }, [ENDED, ENDED, ENDED, ENDED, ENDED, ENDED]],
  ['an erased contact', PENDING, { ...FIRST, has_contact: false }, [OPEN, OPEN, OPEN, OPEN, ENDED, ENDED]],
  ['an earlier step', PENDING, { ...FIRST, is_latest: false }, [OPEN, OPEN, OPEN, OPEN, OPEN, OPEN]],
  [
    'an enrollment that has ended',
    { ...SENT, completed_at: EARLIER },
    FIRST,
    [ENDED_BEFORE, ENDED_BEFORE, ENDED_BEFORE, ENDED_BEFORE, ENDED_BEFORE, ENDED_BEFORE],
  ],
];
for (const [title, life, place, expected] of PLANS)
  test(`each change of a message plans the next step or ends the enrollment as in the table: ${title}`, () => {
    for (const [index, change] of NAMES.entries()) {
      const { current_step, next_run_at, completed_at } = move(life, change, place);
      assert.deepEqual({ current_step, next_run_at, completed_at }, expected[index], change);
    }
  });

test('a status of an earlier step adds its times, and leaves the outcome of the latest step as it is', () => {
  const earlier = { ...FIRST, is_latest: false };
  const { FAILED, COMPLETED } = BEGINNINGS;
  assert.deepEqual(move(FAILED, 'read', earlier), { ...FAILED, sent_at: NOW, delivered_at: AT, read_at: AT });
  assert.deepEqual(move(COMPLETED, 'failed', earlier), COMPLETED);
  assert.deepEqual(move(SENT, 'delivered', earlier), { ...SENT, status: 'DELIVERED', delivered_at: AT });
});

test('a failed enrollment has the code and the words of its failure, and loses them when the message turns out to be sent', () => {
  const { failed_at, failure_reason } = move(PENDING, 'failed', FIRST);
  assert.deepEqual([failed_at, failure_reason], [AT, { code: '131026', message: 'Not sent' }]);
  const explained = { ...fail(131026), failure_reason: { code: 131026, message: 'Não entregue' } };
  assert.equal(advanceSend(UNSENT, 'QUEUED', explained, NOW).cause, 'Não entregue');
  const revived = move(BEGINNINGS.FAILED, 'delivered', FIRST);
  assert.deepEqual([revived.failed_at, revived.failure_reason], [null, null]);
});

/** From which status a message fails, whether the network has named it before, and whether it counts as sent then. */
const FAILURES: [string, MessageStatus, string | null, boolean][] = [
  ['a message that the network refuses was not sent', 'QUEUED', null, false],
  ['a failure that comes before the answer to the call proves that the message was sent', 'QUEUED', 'x', true],
  ['a message that the network held back and drops was not sent', 'SENT', 'x', false],
];
for (const [title, before, external_id, isSent] of FAILURES)
  test(title, () => {
    const send = advanceSend(UNSENT, before, { ...fail(131026), external_id }, NOW);
    assert.deepEqual([send.sent_at !== null, send.failed_at], [isSent, AT]);
  });

test('repeated statuses change nothing, and a message plans one step, whatever statuses come in whatever order', (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const statuses = ['ACCEPTED', 'HELD', 'SENT', 'DELIVERED', 'READ', 'FAILED'] as const;
  for (let run = 0; run < RUNS; run += 1) {
    let message: SentMessage & { outcome_unknown: boolean } = { ...QUEUED, external_id: 'x', outcome_unknown: false };
    let [life, send] = [PENDING, UNSENT];
    for (let count = 0; count < 6; count += 1) {
      const status = statuses[Math.floor(random() * statuses.length)] as StatusReport['status'];
      const before = message;
      message = { ...message, ...advance(message, { status, at: AT, errors: [], failure_reason: null }).life };
      send = advanceSend(send, before.status, message, NOW);
      life = advanceEnrollment(life, send, FIRST);
      assert.deepEqual(advanceSend(send, message.status, message, TOMORROW), send);
      assert.deepEqual(advanceEnrollment(life, send, { ...FIRST, now: TOMORROW }), life);
      assert.ok(life.current_step <= 1, `step ${life.current_step}`);
    }
  }
});
