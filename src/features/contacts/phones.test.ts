import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { importSheet, type FormParts } from '../../../test/support/sheets.ts';

const platform = await startPlatform();
/** One company has no country, and the other one is in Brazil. */
const nowhere = await platform.createCompany();
const brazil = await platform.createCompany();
await platform.call(200, 'PATCH', `/v1/companies/${brazil._id}`, {
  key: brazil.key,
  body: { general_config: { country: 'BR' } },
});

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
  // This is a number of Singapore in the form in which the network writes it.
  ['6591234567', {}, '+6591234567', 'AMBIGUOUS_PHONE'],
  ['6591234568', { country: 'SG' }, '+6591234568', '+6591234568'],
  ['65 9123-4569', { country: 'BR' }, 'AMBIGUOUS_PHONE', 'AMBIGUOUS_PHONE'],
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
      else expectProblem(answer, expected as 'AMBIGUOUS_PHONE', 'phone_number');
    }
  });
}

test('an ambiguous number is refused with both readings, and changes nothing', async () => {
  const { _id } = (await create(201, brazil.key, { phone_number: '+5531988881000' })).body;
  const answer = await platform.call(400, 'PATCH', `/v1/contacts/${_id}`, {
    key: brazil.key,
    body: { phone_number: '6591231234', name: 'Changed' },
  });
  expectProblem(answer, 'AMBIGUOUS_PHONE', 'phone_number');
  for (const reading of ['+6591231234', '+5565991231234']) assert.ok(answer.body.errors[0].message.includes(reading));
  const { body } = await platform.call(200, 'GET', `/v1/contacts/${_id}`, { key: brazil.key });
  assert.deepEqual([body.name, body.phone_number], ['Maria', '+5531988881000']);
});

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
  const ambiguous = JSON.stringify([{ field: 'contact.phone_number', operator: 'neq', value: '6591234567' }]);
  const path = `/v1/contacts?filters=${encodeURIComponent(ambiguous)}`;
  expectProblem(await platform.call(400, 'GET', path, { key: brazil.key }), 'AMBIGUOUS_PHONE', 'filters[0].value');
});

test('phone numbers of a sheet are read with the country of the import or of the company, and an ambiguous one is an error of its row', async () => {
  const file = { name: 'people.csv', data: 'name,phone\nA,31 98888-4000\nB,+55 31 98888-4001\nC,6591234567\n' };
  const work = (key: string, country: FormParts): Promise<Json> =>
    importSheet(platform, '/v1/contacts/import', { file, update_existing: 'false', ...country }, { key });
  const faults = ({ row_errors }: Json) => row_errors.map(({ row, field }: Json) => [row, field]);
  const [first, second] = [await platform.createCompany(), await platform.createCompany()];
  const unknown = await work(first.key, {});
  assert.deepEqual([unknown.country, unknown.created_count, faults(unknown)], [null, 2, [[1, 'phone_number']]]);
  const imported = await work(second.key, { country: 'BR' });
  assert.deepEqual([imported.country, imported.created_count, faults(imported)], ['BR', 2, [[3, 'phone_number']]]);
  assert.match(imported.row_errors[0].message, /\+6591234567.*\+5565991234567/);
});
