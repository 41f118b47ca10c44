import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDayWait, listTimeZones } from './daytime.ts';

const at = (time: string): Date => new Date(`2026-11-23T${time}:00Z`);

test('a follow-up waits until it is day in all time zones of the country', () => {
  assert.deepEqual(listTimeZones('SG', 'UTC'), ['Asia/Singapore']);
  assert.deepEqual([listTimeZones(null, 'Europe/Lisbon'), listTimeZones('ZZ', 'UTC')], [['Europe/Lisbon'], ['UTC']]);
  assert.equal(findDayWait(['America/Sao_Paulo'], at('15:00')), 0);
  assert.equal(findDayWait(['America/Sao_Paulo'], at('00:00')), 11 * 60);
  assert.equal(findDayWait(['America/Sao_Paulo'], at('10:58')), 5);
  // Rio Branco is two hours behind São Paulo.
  assert.equal(findDayWait(['America/Sao_Paulo', 'America/Rio_Branco'], at('11:00')), 2 * 60);
  assert.equal(findDayWait(['Etc/GMT', 'Etc/GMT-8', 'Etc/GMT+8'], at('12:00')), 0);
});
