/** Checks the ids in the cells of a sheet: another company's record is reported like an unknown one, and nothing is stored. */
import { newId } from '../../../src/platform/values/ids.ts';
import type { Json } from '../../support/platform.ts';
import { waitUntil } from '../../support/wait.ts';
import { sendAndCheck, buildValidRequest, withTextAt, type Findings, type CompanyPair } from './asking.ts';
import { findId, type FullCompany } from './companies.ts';
import type { Operation } from './document.ts';

const FIELDS = { _id: 'contact', business: 'business', owner: 'user' } as const;
type Field = keyof typeof FIELDS;

export async function checkSheets(pair: CompanyPair, operations: Operation[], account: Findings): Promise<void> {
  // An import reports a hundred faults, so each field and company has a sheet of its own.
  for (const field of ['_id', 'business', 'owner'] as const)
    for (const owner of [pair.other, pair.own]) await checkSheetColumn(pair, operations, account, { field, owner });
}

async function checkSheetColumn(
  pair: CompanyPair,
  operations: Operation[],
  account: Findings,
  { field, owner }: { field: Field; owner: FullCompany },
): Promise<void> {
  const { own } = pair;
  const caller = { name: 'company key', token: own.key, refusal: null };
  const operation = (name: string): Operation => operations.find((one) => one.name === name) as Operation;
  const ids = [newId(), 'f'.repeat(24), ...Object.values(owner.records)];
  const file = [`external_id,${field}`, ...ids.map((id, index) => `${field} ${index},${id}`)].join('\n');
  const asking = { ...buildValidRequest(operation('POST /v1/contacts/import'), own), body: { file } };
  const { body: begun } = await sendAndCheck(pair, account, { caller, asking });
  // The errors of the rows show the cells of the sheet, which are what the caller has written.
  const echoed = ids.filter((id) => !Object.values(own.records).includes(id));
  const read = buildValidRequest(operation('GET /v1/contacts/import/{importId}'), own);
  const done = await waitUntil('the sheet to be worked off', async () => {
    const place = { in: 'path', path: 'importId' } as const;
    const { body } = await sendAndCheck(pair, account, {
      caller,
      asking: { ...withTextAt(read, place, begun._id), echoed },
    });
    return body.finished_at === null ? null : (body as Json);
  });
  const rows = ids.map((id, index) => ({ row: index + 1, id })).filter(({ id }) => id !== findId(own, FIELDS[field]));
  const expected = rows.map(({ row }) => ({ row, field, message: 'refers to a record that does not exist' }));
  const errors = done.row_errors.map(({ row, field: named, message }: Json) => ({ row, field: named, message }));
  if (JSON.stringify(errors) !== JSON.stringify(expected) || done.failed_count !== expected.length)
    account.faults.push(`a sheet of foreign ids: ${JSON.stringify(done).slice(0, 1_000)}`);
}
