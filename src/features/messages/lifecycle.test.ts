import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { createRandom } from '../../../test/support/random.ts';
import type { EventName } from '../../platform/store/events.ts';
import { advance, type Life, type StatusReport } from './lifecycle.ts';
import type { Cause } from './schemas.ts';

const RUNS = 20_000;
const seed = readSeed();
const seedNote = `SEED=${seed}`;

const UNREACHABLE: Cause = { code: 'PROVIDER_UNREACHABLE', title: '', message: '', details: '' };
const UNDELIVERABLE: Cause = { code: 131026, title: 'Message undeliverable', message: '', details: '' };
const REASON = { code: 131026, message: 'A mensagem não pôde ser entregue.' };
const AT = {
  ACCEPTED: '2026-11-20T10:00:00.000Z',
  SENT: '2026-11-20T10:00:01.000Z',
  DELIVERED: '2026-11-20T10:00:02.000Z',
  READ: '2026-11-20T10:00:03.000Z',
  FAILED: '2026-11-20T10:00:04.000Z',
};
const REPORTS = Object.keys(AT) as StatusReport['status'][];

const report = (status: StatusReport['status']): StatusReport => ({
  status,
  at: AT[status === 'HELD' ? 'ACCEPTED' : status],
  errors: status === 'FAILED' ? [UNDELIVERABLE] : [],
  failure_reason: status === 'FAILED' ? REASON : null,
});

const QUEUED: Life = {
  status: 'QUEUED',
  outcome_unknown: false,
  errors: [],
  failure_reason: null,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  failed_at: null,
};
const SENT: Life = { ...QUEUED, status: 'SENT' };
/** The fields of a message that became FAILED after 24 hours with an unknown outcome. */
const GIVEN_UP: Life = {
  ...QUEUED,
  status: 'FAILED',
  outcome_unknown: true,
  errors: [UNREACHABLE],
  failed_at: '2026-11-20T09:00:00.000Z',
};
/** The fields of a message that certainly was not sent, because the network refused it or the platform blocked it. */
const REFUSED: Life = { ...GIVEN_UP, outcome_unknown: false, errors: [UNDELIVERABLE] };
const BEGINNINGS = { QUEUED, SENT, GIVEN_UP, REFUSED };

interface Lived {
  life: Life;
  events: EventName[];
  statuses: Life['status'][];
}

function runLife(beginning: Life, reports: StatusReport['status'][]): Lived {
  const lived: Lived = { life: beginning, events: [], statuses: [beginning.status] };
  for (const status of reports) {
    const step = advance(lived.life, report(status));
    lived.life = step.life;
    lived.events.push(...step.events);
    lived.statuses.push(step.life.status);
  }
  return lived;
}

function forEachRun(check: (beginning: keyof typeof BEGINNINGS, reports: StatusReport['status'][]) => void): void {
  const random = createRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const names = Object.keys(BEGINNINGS) as (keyof typeof BEGINNINGS)[];
  for (let run = 0; run < RUNS; run += 1) {
    const reports = Array.from({ length: Math.floor(random() * 9) }, () => pick(REPORTS));
    const beginning = pick(names);
    try {
      check(beginning, reports);
    } catch (error) {
      throw new Error(`${seedNote}; from ${beginning}: ${reports.join(', ')}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}

const RANK = { QUEUED: 0, SENT: 1, DELIVERED: 2, READ: 3 };

test('a message never goes back to an earlier status, whatever statuses the network repeats or sends in the wrong order', (t) => {
  t.diagnostic(seedNote);
  forEachRun((beginning, reports) => {
    const { statuses } = runLife(BEGINNINGS[beginning], reports);
    for (const [index, status] of statuses.entries()) {
      const before = statuses[index - 1];
      if (before === undefined || before === status) continue;
      if (before === 'FAILED')
        assert.ok(beginning === 'GIVEN_UP' && index === statuses.findIndex((s) => s !== 'FAILED'));
      else if (status === 'FAILED') assert.ok(before === 'QUEUED' || before === 'SENT', `${before} became FAILED`);
      else assert.ok(RANK[status as 'SENT'] > RANK[before as 'SENT'], `${before} became ${status}`);
    }
  });
});

test('each event of a message is emitted at most once, MESSAGE_SENT before the others, and MESSAGE_FAILED never together with a delivery', () => {
  forEachRun((beginning, reports) => {
    const { events } = runLife(BEGINNINGS[beginning], reports);
    assert.equal(new Set(events).size, events.length, events.join(', '));
    if (events.includes('MESSAGE_SENT')) assert.equal(events[0], 'MESSAGE_SENT');
    if (events.includes('MESSAGE_FAILED')) assert.equal(events.at(-1), 'MESSAGE_FAILED');
    assert.ok(
      !(events.includes('MESSAGE_FAILED') && (events.includes('MESSAGE_DELIVERED') || events.includes('MESSAGE_READ'))),
    );
  });
});

test('MESSAGE_SENT is emitted exactly when a message with an unknown outcome gets its first status', () => {
  forEachRun((beginning, reports) => {
    const unsettled = beginning === 'QUEUED' || beginning === 'GIVEN_UP';
    const { events } = runLife(BEGINNINGS[beginning], reports);
    assert.equal(events.includes('MESSAGE_SENT'), unsettled && reports.length > 0);
  });
});

test('the final status and times of a message without a failure do not depend on the order of its statuses', () => {
  forEachRun((beginning, all) => {
    if (beginning === 'REFUSED') return;
    const reports = all.filter((status) => status !== 'FAILED');
    const orders = [reports, reports.toReversed(), reports.toSorted()];
    const [first, ...others] = orders.map((order) => runLife(BEGINNINGS[beginning], order).life);
    for (const other of others) assert.deepEqual(other, first);
    assert.equal(first?.read_at, reports.includes('READ') ? AT.READ : null);
    assert.equal(first?.delivered_at, reports.includes('DELIVERED') ? AT.DELIVERED : null);
    // The network accepts a message before it reports it as sent.
    const reported = (['ACCEPTED', 'SENT'] as const).find((status) => reports.includes(status));
    assert.equal(first?.sent_at, reported ? AT[reported] : null);
  });
});

test('a failure of a message is final when it comes before any delivery, and is ignored after a delivery', () => {
  forEachRun((beginning, reports) => {
    if (beginning === 'REFUSED') return;
    const failure = reports.indexOf('FAILED');
    const delivery = reports.findIndex((status) => status === 'DELIVERED' || status === 'READ');
    const counts = failure >= 0 && (delivery < 0 || failure < delivery);
    const { life, statuses } = runLife(BEGINNINGS[beginning], reports);
    if (!counts) return assert.ok(reports.length === 0 || life.status !== 'FAILED');
    assert.ok(statuses.slice(failure + 1).every((status) => status === 'FAILED'));
    assert.deepEqual(life.errors, [UNDELIVERABLE]);
    assert.deepEqual(life.failure_reason, REASON);
    assert.equal(life.failed_at, AT.FAILED);
  });
});

test('a message that certainly failed, or was received, ignores every status', () => {
  const received: Life = { ...QUEUED, status: 'RECEIVED', sent_at: AT.SENT };
  forEachRun((_beginning, reports) => {
    for (const life of [REFUSED, received]) {
      const lived = runLife(life, reports);
      assert.deepEqual(lived.life, life);
      assert.deepEqual(lived.events, []);
    }
  });
});

const STORIES: [string, Life, StatusReport['status'][], EventName[], Partial<Life>][] = [
  [
    'the statuses accepted, sent, delivered and read emit three events, and each time is stored',
    QUEUED,
    ['ACCEPTED', 'SENT', 'DELIVERED', 'READ'],
    ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_READ'],
    { status: 'READ', sent_at: AT.ACCEPTED, delivered_at: AT.DELIVERED, read_at: AT.READ },
  ],
  [
    'a message that the network holds back is accepted, and has the time at which it was sent once the network reports it',
    QUEUED,
    ['HELD', 'SENT'],
    ['MESSAGE_SENT'],
    { status: 'SENT', sent_at: AT.SENT },
  ],
  [
    'a message that the network holds back and then drops was never sent',
    QUEUED,
    ['HELD', 'FAILED'],
    ['MESSAGE_SENT', 'MESSAGE_FAILED'],
    { status: 'FAILED', sent_at: null, failed_at: AT.FAILED },
  ],
  [
    'a read without a delivered makes the message READ and emits no delivery; a later delivered only fills its time',
    SENT,
    ['READ', 'DELIVERED'],
    ['MESSAGE_READ'],
    { status: 'READ', delivered_at: AT.DELIVERED, read_at: AT.READ },
  ],
  [
    'when a status is stored before the answer to the call, the answer only fills its time',
    QUEUED,
    ['DELIVERED', 'ACCEPTED'],
    ['MESSAGE_SENT', 'MESSAGE_DELIVERED'],
    { status: 'DELIVERED', sent_at: AT.ACCEPTED, delivered_at: AT.DELIVERED },
  ],
  [
    'a message that became FAILED after 24 hours is corrected by a delivered, and its error is removed',
    GIVEN_UP,
    ['DELIVERED'],
    ['MESSAGE_SENT', 'MESSAGE_DELIVERED'],
    { status: 'DELIVERED', outcome_unknown: false, errors: [], failed_at: null },
  ],
  [
    "a message that became FAILED after 24 hours gets the network's cause when the network reports a failure",
    GIVEN_UP,
    ['FAILED', 'DELIVERED'],
    ['MESSAGE_SENT', 'MESSAGE_FAILED'],
    { status: 'FAILED', outcome_unknown: false, errors: [UNDELIVERABLE], failed_at: AT.FAILED },
  ],
  [
    'repeated statuses emit no event and keep the first time',
    SENT,
    ['DELIVERED', 'DELIVERED', 'SENT', 'DELIVERED'],
    ['MESSAGE_DELIVERED'],
    { status: 'DELIVERED', sent_at: AT.SENT, delivered_at: AT.DELIVERED },
  ],
];

for (const [title, beginning, reports, events, end] of STORIES) {
  test(title, () => {
    const lived = runLife(beginning, reports);
    assert.deepEqual(lived.events, events);
    for (const [field, value] of Object.entries(end)) assert.deepEqual(lived.life[field as keyof Life], value, field);
  });
}

test('a failure without a cause still has an entry in errors, and no failure_reason', () => {
  const { life } = advance(SENT, { status: 'FAILED', at: AT.FAILED, errors: [], failure_reason: null });
  assert.deepEqual(
    life.errors.map((error) => error.code),
    ['PROVIDER_REJECTED'],
  );
  assert.equal(life.failure_reason, null);
});
