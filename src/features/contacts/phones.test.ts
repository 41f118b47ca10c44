import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { importSheet, listFaults, type FormParts } from '../../../test/support/sheets.ts';

const platform = await startPlatform();
async function createCompanyIn(country: string | null): ReturnType<typeof platform.createCompany> {
  const company = await platform.createCompany();
  const body = { general_config: { country } };
  await platform.call(200, 'PATCH', `/v1/companies/${company._id}`, { key: company.key, body });
  return company;
}
const nowhere = await createCompanyIn(null);
const brazil = await createCompanyIn('BR');

const create = (status: number, key: string, body: Json) =>
  platform.call(status, 'POST', '/v1/contacts', { key, body: { name: 'Maria', ...body } });

/**
 * Cases: the phone number as written, other fields, the result in the company without a country, and
 * the result in Brazil. A result is a stored number, or the code of an answer with the status 400.
 */
const WRITINGS: [string, Json, string, string][] = [
  ['+55 (31) 98888-0001', {}, '+5531988880001', '+5531988880001'],
  ['5531988880002', {}, '+5531988880002', '+5531988880002'],
  ['00 1 212 555 0123', {}, '+12125550123', '+12125550123'],
  ['+44 (0)20 7946 0958', {}, '+442079460958', '+442079460958'],
  ['(31) 98888-0003', {}, 'VALIDATION_FAILED', '+5531988880003'],
  ['031 98888 0004', {}, 'VALIDATION_FAILED', '+5531988880004'],
  ['31 98888-0005', { country: 'BR' }, '+5531988880005', '+5531988880005'],
  ['020 7946 0959', { country: 'GB' }, '+442079460959', '+442079460959'],
  // These digits are a number of Recife, and with a country code one of Japan.
  ['81980067952', {}, '+81980067952', '+5581980067952'],
  ['81980067953', { country: 'JP' }, '+81980067953', '+81980067953'],
  ['(81) 98006-7954', { country: 'BR' }, '+5581980067954', '+5581980067954'],
  ['+65 9123 4567', {}, '+6591234567', '+6591234567'],
];

for (const [written, beside, alone, inBrazil] of WRITINGS) {
  const said = JSON.stringify({ phone_number: written, ...beside });
  test(`a contact with ${said} gets ${alone} in a company without a country, and ${inBrazil} in Brazil`, async () => {
    for (const [{ key }, expected] of [
      [nowhere, alone],
      [brazil, inBrazil],
    ] as const) {
      const isRead = expected.startsWith('+');
      const answer = await create(isRead ? 201 : 400, key, { phone_number: written, ...beside });
      if (isRead) assert.equal(answer.body.phone_number, expected);
      else expectProblem(answer, expected as 'VALIDATION_FAILED', 'phone_number');
    }
  });
}

test('the country in a request must exist and needs a phone_number in the same request', async () => {
  for (const body of [
    { phone_number: '31 98888-2000', country: 'XX' },
    { phone_number: '31 98888-2000', country: 'br' },
    { country: 'BR' },
  ])
    expectProblem(await create(400, nowhere.key, body), 'VALIDATION_FAILED', 'country');
});

test('a filter accepts a whole phone number in every format that a body accepts, and a part of a number without its punctuation', async () => {
  const { _id } = (await create(201, brazil.key, { phone_number: '+5531988883000' })).body;
  const found = async (operator: string, value: string): Promise<string[]> => {
    const filters = JSON.stringify([{ field: 'contact.phone_number', operator, value }]);
    const path = `/v1/contacts?filters=${encodeURIComponent(filters)}`;
    return (await platform.call(200, 'GET', path, { key: brazil.key })).body.result.map((contact: Json) => contact._id);
  };
  for (const value of ['+55 (31) 98888-3000', '5531988883000', '(31) 98888-3000'])
    assert.deepEqual(await found('eq', value), [_id]);
  assert.deepEqual(await found('contains', '98888-3000'), [_id]);
  assert.deepEqual(await found('starts_with', '+55 (31) 98888-3'), [_id]);
  assert.deepEqual(await found('eq', 'no number'), []);
  const { _id: recife } = (await create(201, brazil.key, { phone_number: '81980063001' })).body;
  assert.deepEqual(await found('eq', '81980063001'), [recife]);
});

test('a sheet is read in the country of the import or of the company, and without one each number needs + or 00', async () => {
  const data = 'name,phone\nA,81980064000\nB,+55 31 98888-4001\nC,5531988884002\nD,0055 31 98888-4003\n';
  const file = { name: 'people.csv', data };
  const work = async (at: string | null, country: FormParts): Promise<Json> => {
    const { key } = await createCompanyIn(at);
    const done = await importSheet(
      platform,
      '/v1/contacts/import',
      { file, update_existing: 'false', ...country },
      { key },
    );
    const { result } = (await platform.call(200, 'GET', '/v1/contacts', { key })).body;
    return { ...done, numbers: result.map(({ phone_number }: Json) => phone_number).toSorted() };
  };
  const all = ['+5531988884001', '+5531988884002', '+5531988884003', '+5581980064000'];
  const unknown = await work(null, {});
  assert.deepEqual([unknown.country, unknown.numbers], [null, [all[0], all[2]]]);
  const message = 'has no country code: choose the country of the numbers, or write it with + and its country code';
  assert.deepEqual(
    listFaults(unknown),
    [1, 3].map((row) => ({ row, field: 'phone_number', message })),
  );
  for (const imported of [await work(null, { country: 'BR' }), await work('BR', {})])
    assert.deepEqual([imported.country, imported.numbers], ['BR', all]);
  assert.equal((await work('BR', { country: 'JP' })).numbers.at(-1), '+81980064000');
});
