/** The preview of a sheet's phone numbers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../../test/support/refusals.ts';
import { importSheet } from '../../../../test/support/sheets.ts';

const platform = await startPlatform();
const PATH = '/v1/contacts/import/phone-numbers';
const { key, _id } = await platform.createCompany();
const setCountry = (country: string | null) =>
  platform.call(200, 'PATCH', `/v1/companies/${_id}`, { key, body: { general_config: { country } } });
const preview = async (body: Json): Promise<Json> => (await platform.call(200, 'POST', PATH, { key, body })).body;

const NUMBERS = ['81980067952', ' +351 912 345 678', '(51) 99999-8888', '12', 'nobody', '9'.repeat(60), ''];

test('a preview shows each number as the import stores it, or the words of its row error, with the country that was used', async () => {
  const data = ['name,phone', ...NUMBERS.map((number, index) => `P${index},${number}`)].join('\n');
  for (const [country, given] of [
    ['BR', {}],
    ['BR', { country: 'JP' }],
    [null, {}],
    [null, { country: 'BR' }],
  ] as const) {
    await setCountry(country);
    const shown = await preview({ phone_numbers: NUMBERS, ...given });
    assert.equal(shown.country, 'country' in given ? given.country : country);
    const done = await importSheet(
      platform,
      '/v1/contacts/import',
      { file: { name: 'people.csv', data }, silent: 'true', ...given },
      { key },
    );
    for (const [place, each] of shown.phone_numbers.entries()) {
      assert.equal(each.written, NUMBERS[place]);
      // An empty cell is no value of its row.
      if (each.written === '') continue;
      const fault = done.row_errors.find(({ row }: Json) => row === place + 1);
      assert.equal(each.error, fault?.message ?? null, each.written);
      assert.equal(each.phone_number === null, fault !== undefined);
    }
    const stored = (await platform.call(200, 'GET', '/v1/contacts', { key })).body.result;
    const numbers = (list: Json[]): string[] =>
      list.map((each) => `${each.phone_number} ${each.country_code}`).toSorted((a, b) => (a < b ? -1 : 1));
    assert.deepEqual(
      numbers(stored.filter(({ phone_number }: Json) => phone_number !== null)),
      numbers(shown.phone_numbers.filter(({ phone_number }: Json) => phone_number !== null)),
    );
    for (const contact of stored) await platform.call(200, 'DELETE', `/v1/contacts/${contact._id}`, { key });
  }
});

test('a preview says which numbers want a country', async () => {
  await setCountry(null);
  const wanting = ({ phone_numbers }: Json): string[] =>
    phone_numbers.flatMap(({ written, wants_country }: Json) => (wants_country ? [written] : []));
  assert.deepEqual(wanting(await preview({ phone_numbers: NUMBERS.slice(0, 4) })), [NUMBERS[0], NUMBERS[2]]);
  assert.deepEqual(wanting(await preview({ phone_numbers: NUMBERS, country: 'BR' })), []);
});

test('a preview takes 100 numbers at most, and a country that exists', async () => {
  const phone_numbers = Array.from({ length: 101 }, () => '12');
  for (const [body, path] of [
    [{ phone_numbers }, 'phone_numbers'],
    [{ phone_numbers: [] }, 'phone_numbers'],
    [{ phone_numbers: ['9'.repeat(201)] }, 'phone_numbers[0]'],
    [{ phone_numbers: ['12'], country: 'XX' }, 'country'],
  ] as const)
    expectProblem(await platform.call(400, 'POST', PATH, { key, body }), 'VALIDATION_FAILED', path);
});

test('a preview of phone numbers is refused like every request that a caller may not send', () =>
  checkRefusals(platform, { method: 'POST', path: PATH, scope: 'contacts:create', body: { phone_numbers: ['12'] } }));
