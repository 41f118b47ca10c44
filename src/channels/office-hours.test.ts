import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAvailability, type OfficeHours } from './office-hours.ts';

const hours: OfficeHours = {
  time_zone: 'America/Sao_Paulo',
  days: [
    { day: 'MON', from: '09:00', to: '12:00' },
    { day: 'MON', from: '13:00', to: '18:00' },
    { day: 'FRI', from: '09:00', to: '24:00' },
  ],
  away_text: null,
};
// São Paulo is three hours behind UTC.
const at = (text: string) => findAvailability(hours, new Date(text));
const open = { is_open: true, opens_at: null };

test('a company answers within its hours, in its own time zone', () => {
  assert.deepEqual(at('2026-11-23T12:00:00Z'), open);
  assert.deepEqual(at('2026-11-23T20:59:59Z'), open);
  assert.deepEqual(at('2026-11-28T02:59:00Z'), open);
});

test('outside of its hours the next opening is named, also across a break, a night and the end of the week', () => {
  assert.equal(at('2026-11-23T15:30:40Z').opens_at, '2026-11-23T16:00:00.000Z');
  assert.equal(at('2026-11-23T21:00:00Z').opens_at, '2026-11-27T12:00:00.000Z');
  assert.equal(at('2026-11-28T03:00:00Z').opens_at, '2026-11-30T12:00:00.000Z');
});

test('a company without hours always answers', () => {
  assert.deepEqual(findAvailability(null, new Date()), open);
});
