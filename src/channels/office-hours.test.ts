import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addOpenMinutes, findAvailability, listOpenings, makeCalendar, type Hours } from './office-hours.ts';

const hours: Hours = {
  time_zone: 'America/Sao_Paulo',
  days: [
    { day: 'MON', from: '09:00', to: '12:00' },
    { day: 'MON', from: '13:00', to: '18:00' },
    { day: 'FRI', from: '09:00', to: '24:00' },
  ],
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

test('a date with hours of its own has these hours, and none if it has no spans', () => {
  const special_dates = [
    { date: '2026-11-23', name: 'Holiday', spans: [] },
    { date: '2026-11-27', name: 'Short day', spans: [{ from: '10:00', to: '11:00' }] },
  ];
  const on = (text: string) => findAvailability({ ...hours, special_dates }, new Date(text));
  assert.equal(on('2026-11-23T12:00:00Z').opens_at, '2026-11-27T13:00:00.000Z');
  assert.deepEqual(on('2026-11-27T13:30:00Z'), open);
  assert.equal(on('2026-11-27T14:00:00Z').opens_at, '2026-11-30T12:00:00.000Z');
});

test('the next opening is right over both changes of summer time', () => {
  const berlin: Hours = { time_zone: 'Europe/Berlin', days: [{ day: 'SUN', from: '10:00', to: '12:00' }] };
  const opens = (text: string) => findAvailability(berlin, new Date(text)).opens_at;
  // The clocks change on Sunday, 29 March and 25 October 2026, at one o'clock UTC.
  assert.equal(opens('2026-03-28T20:00:00Z'), '2026-03-29T08:00:00.000Z');
  assert.equal(opens('2026-10-24T20:00:00Z'), '2026-10-25T09:00:00.000Z');
  const skipped: Hours = { time_zone: 'Europe/Berlin', days: [{ day: 'SUN', from: '02:00', to: '02:30' }] };
  assert.deepEqual(findAvailability(skipped, new Date('2026-03-29T01:10:00Z')), open);
});

test('spans that overlap or meet are one', () => {
  const days = [
    { day: 'MON', from: '09:00', to: '13:00' },
    { day: 'MON', from: '12:00', to: '18:00' },
  ] as const;
  const spans = listOpenings(makeCalendar({ time_zone: 'UTC', days }), new Date('2026-11-23T10:00:00Z')).take(3);
  const hour = (iso: number) => new Date(iso).toISOString().slice(8, 13);
  assert.deepEqual(
    [...spans].map(({ fromMs, toMs }) => [hour(fromMs), hour(toMs)]),
    [
      ['23T10', '23T13'],
      ['23T13', '23T18'],
      ['30T09', '30T13'],
    ],
  );
});

test('minutes of opening time pass only while the company answers, also over a change of summer time', () => {
  const calendar = makeCalendar(hours);
  const add = (minutes: number, from: string) => addOpenMinutes(calendar, new Date(from), minutes)?.toISOString();
  assert.equal(add(30, '2026-11-23T13:00:00Z'), '2026-11-23T13:30:00.000Z');
  // From an hour before the break, over the evening, to Friday.
  assert.equal(add(7 * 60, '2026-11-23T14:00:00Z'), '2026-11-27T13:00:00.000Z');
  assert.equal(add(180, '2026-11-23T12:00:00Z'), '2026-11-23T15:00:00.000Z');
  const berlin: Hours = { time_zone: 'Europe/Berlin', days: [{ day: 'SUN', from: '00:00', to: '24:00' }] };
  assert.equal(
    addOpenMinutes(makeCalendar(berlin), new Date('2026-03-28T23:00:00Z'), 23 * 60)?.toISOString(),
    '2026-03-29T22:00:00.000Z',
  );
  assert.equal(addOpenMinutes(null, new Date(0), 1)?.getTime(), 60_000);
});

test('a target that the hours do not reach within 400 days has no time, so that a search is short', () => {
  const rare = makeCalendar({ time_zone: 'UTC', days: [{ day: 'MON', from: '09:00', to: '09:01' }] });
  const start = new Date('2026-11-24T00:00:00Z');
  assert.equal(addOpenMinutes(rare, start, 57)?.toISOString(), '2027-12-27T09:01:00.000Z');
  assert.equal(addOpenMinutes(rare, start, 58), null);
});
