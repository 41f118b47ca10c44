/** The periods of reports by the clocks of time zones that do not change at two o'clock, or not by an hour. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listStarts } from './periods.ts';
import type { PeriodUnit } from './schemas.ts';

const list = (from: string, to: string, by: PeriodUnit, timeZone: string): string[] =>
  listStarts({ from: new Date(`${from}Z`), to: new Date(`${to}Z`) }, by, timeZone).map((start) =>
    start.toISOString().slice(0, 16),
  );

test('a day that begins at one o’clock is followed by one that begins at midnight', () => {
  // The clocks of Santiago went forward at midnight of 8 September 2024, a Sunday, and those of Cairo at midnight of 26 April 2024.
  assert.deepEqual(list('2024-09-07T04:00', '2024-09-11T03:00', 'DAY', 'America/Santiago'), [
    '2024-09-07T04:00',
    '2024-09-08T04:00',
    '2024-09-09T03:00',
    '2024-09-10T03:00',
  ]);
  assert.deepEqual(list('2024-04-25T22:30', '2024-04-28T12:00', 'DAY', 'Africa/Cairo'), [
    '2024-04-25T22:30',
    '2024-04-26T21:00',
    '2024-04-27T21:00',
  ]);
});

test('weeks and months begin at midnight, also in a range that begins on a day without a midnight', () => {
  assert.deepEqual(list('2024-09-08T05:00', '2024-09-17T00:00', 'WEEK', 'America/Santiago'), [
    '2024-09-08T05:00',
    '2024-09-09T03:00',
    '2024-09-16T03:00',
  ]);
  assert.deepEqual(list('2024-09-08T05:00', '2024-11-02T00:00', 'MONTH', 'America/Santiago'), [
    '2024-09-08T05:00',
    '2024-10-01T03:00',
    '2024-11-01T03:00',
  ]);
});

test('hours go on where the clocks change by half an hour, and each hour has one period', () => {
  // The clocks of Lord Howe went back by half an hour at 15:00 UTC.
  assert.deepEqual(list('2024-04-06T13:00', '2024-04-06T18:00', 'HOUR', 'Australia/Lord_Howe'), [
    '2024-04-06T13:00',
    '2024-04-06T14:00',
    '2024-04-06T15:00',
    '2024-04-06T16:00',
    '2024-04-06T17:00',
  ]);
  assert.equal(list('2024-04-01T00:00', '2024-05-01T00:00', 'HOUR', 'Australia/Lord_Howe').length, 720);
});

test('no period is empty where a day is left out, or where its midnight comes twice', () => {
  // Samoa left out 30 December 2011. In Newfoundland one minute after midnight was 23:01 of the day before.
  assert.deepEqual(list('2011-12-29T10:00', '2012-01-01T10:00', 'DAY', 'Pacific/Apia'), [
    '2011-12-29T10:00',
    '2011-12-30T10:00',
    '2011-12-31T10:00',
  ]);
  assert.deepEqual(list('2010-11-07T03:00', '2010-11-09T00:00', 'DAY', 'America/St_Johns'), [
    '2010-11-07T03:00',
    '2010-11-08T04:00',
  ]);
});
