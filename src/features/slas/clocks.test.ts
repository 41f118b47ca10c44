/** The clocks of a conversation after a change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SlaPolicy } from '../sla-policies/schemas.ts';
import { findCalendarOnce, setClocks } from './clocks.ts';
import type { Clocks, Timed } from './schemas.ts';

const at = (clock: string): string => `2026-11-23T${clock}:00.000Z`;
const policy: SlaPolicy = {
  _id: 'p',
  company: 'c',
  name: 'Usual',
  first_reply_minutes: 30,
  next_reply_minutes: 60,
  close_minutes: 240,
  within_business_hours: false,
  inboxes: null,
  teams: null,
  priorities: null,
  position: 0,
  createdAt: at('08:00'),
  updatedAt: at('08:00'),
};
const timed: Timed = {
  status: 'OPEN',
  priority: null,
  inbox: 'i',
  team: null,
  hours: null,
  waiting_since: at('09:00'),
  begun_at: at('08:59'),
  first_reply_at: null,
  is_blocked: false,
};
const set = (stored: Clocks | null, change: Partial<Timed>, now: string): Clocks | null =>
  setClocks(
    stored,
    { ...timed, ...change },
    { policies: [policy], findCalendar: findCalendarOnce() },
    new Date(at(now)),
  );

test('a target that was missed stays so only while it is the same target', () => {
  const first = set(null, {}, '09:00');
  assert.ok(first);
  const told = { ...first, breached_at: at('13:00') };
  assert.equal(set(told, { priority: 'HIGH' }, '13:10')?.breached_at, at('13:00'));
  assert.equal(set({ ...told, policy: 'gone' }, {}, '13:10')?.breached_at, null);
  const earlier = { ...first, breached_at: at('09:30') };
  // The reply meets the target that was told, and the missed close is told in its turn.
  const replied = set(earlier, { waiting_since: null, first_reply_at: at('13:05') }, '13:10');
  assert.deepEqual([replied?.close_due_at, replied?.breached_at], [at('13:00'), null]);
});

test('clocks of an earlier opening of the conversation do not count', () => {
  const before = set(null, { status: 'SNOOZED' }, '09:00');
  const reopened = { begun_at: at('15:00'), waiting_since: at('15:00') };
  assert.deepEqual(set(before, reopened, '16:00'), set(null, reopened, '16:00'));
  assert.equal(set(before, { ...reopened, waiting_since: null }, '16:00'), null);
});
