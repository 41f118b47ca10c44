/** Ids in the cells of a sheet: another company's record is reported like an unknown one, and nothing is stored. */
import { newId } from '../../../src/platform/ids.ts';
import type { Json } from '../../support/platform.ts';
import { until } from '../../support/wait.ts';
import { ask, validAsking, withText, type Account, type Pair } from './asking.ts';
import { findId } from './companies.ts';
import type { Operation } from './document.ts';

const FIELDS = { _id: 'contact', business: 'business', owner: 'user' } as const;
type Field = keyof typeof FIELDS;

export async function proveSheets(pair: Pair, operations: Operation[], account: Account): Promise<void> {
  // Two fields are tried at a time: an import does not report the faults of three, and no id is valid in both of the two.
  for (const fields of [['_id', 'business'] as const, ['business', 'owner'] as const])
    await proveSheet(pair, operations, account, fields);
}

async function proveSheet(
  pair: Pair,
  operations: Operation[],
  account: Account,
  fields: readonly Field[],
): Promise<void> {
  const { own, other } = pair;
  const caller = { name: 'company key', token: own.key, refusal: null };
  const operation = (name: string): Operation => operations.find((one) => one.name === name) as Operation;
  const ids = [newId(), 'f'.repeat(24), ...Object.values(other.records), ...Object.values(own.records)];
  const file = [['name', ...fields].join(), ...ids.map((id) => ['Ana', ...fields.map(() => id)].join())].join('\n');
  const asking = { ...validAsking(operation('POST /v1/contacts/import'), own), body: { file } };
  const { body: begun } = await ask(pair, account, { caller, asking });
  const read = validAsking(operation('GET /v1/contacts/import/{importId}'), own);
  const done = await until('the sheet to be worked off', async () => {
    const place = { in: 'path', path: 'importId' } as const;
    const { body } = await ask(pair, account, { caller, asking: withText(read, place, begun._id) });
    return body.finished_at === null ? null : (body as Json);
  });
  const expected = ids.flatMap((id, index) =>
    fields
      .filter((field) => id !== findId(own, FIELDS[field]))
      .map((field) => ({ row: index + 1, field, message: 'points to nothing' })),
  );
  if (JSON.stringify(done.row_errors) !== JSON.stringify(expected) || done.failed_count !== ids.length)
    account.faults.push(`a sheet of foreign ids: ${JSON.stringify(done).slice(0, 1_000)}`);
}
