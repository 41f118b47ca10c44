/**
 * Checks that properties and parameters that no caller may set are refused and not ignored: unknown names, read-only fields, database
 * columns.
 */
import {
  sendAndCheck,
  prepareRecords,
  buildValidRequest,
  type Findings,
  type MatrixRequest,
  type CompanyPair,
} from './asking.ts';
import type { Caller, Callers } from './callers.ts';
import { listChangedTables, digestTables } from './companies.ts';
import { listObjectLevels, withValueAt, type ObjectLevel, type Operation } from './document.ts';

const ALWAYS = ['_id', 'company', 'createdAt', 'updatedAt'];
const STRANGE = [
  'surprise',
  'company_id',
  'companyId',
  'tenant',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
];

export async function checkUnknownProperties(
  pair: CompanyPair,
  callers: Callers,
  operation: Operation,
  account: Findings,
): Promise<void> {
  const { platform, own, other } = pair;
  const [caller] = (await callers.chooseCast(operation)).allowed as [Caller];
  await prepareRecords(operation, platform, own);
  const before = await digestTables(platform, [own._id, other._id]);
  const valid = buildValidRequest(operation, own);
  for (const name of ['surprise', 'company', 'company_id', 'companyId', 'x-company-id']) {
    const asking = { ...valid, query: { [name]: other._id } };
    await expectRefusal(pair, account, { caller, asking, path: name });
  }
  if (operation.body) await checkBodyProperties(pair, account, { caller, valid });
  // A GET is not tried, because fetch() cannot send a body with it.
  else if (operation.method !== 'GET')
    await expectRefusal(pair, account, { caller, asking: { ...valid, body: { company: other._id } }, path: 'body' });
  const after = await digestTables(platform, [own._id, other._id]);
  const changed = listChangedTables(before, after);
  if (changed.length > 0) account.faults.push(`${operation.name} refused a property and changed ${changed.join()}`);
}

async function checkBodyProperties(
  pair: CompanyPair,
  account: Findings,
  given: { caller: Caller; valid: MatrixRequest },
): Promise<void> {
  const { caller, valid } = given;
  const { body, answer } = valid.operation;
  for (const level of listObjectLevels(body, answer)) {
    const known = Object.keys((body as { properties?: object }).properties ?? {});
    const names = [
      ...level.readOnly,
      ...STRANGE,
      ...(level.path ? [] : ALWAYS.filter((name) => !known.includes(name))),
    ];
    for (const name of new Set(names)) {
      const path = level.path ? `${level.path}.${name}` : name;
      const asking = { ...valid, body: withValueAt(withObjectAt(valid.body, level), path, pair.other._id) };
      await expectRefusal(pair, account, { caller, asking, path });
    }
  }
  const raw = JSON.stringify({ ...valid.body, prototype: 1 }).replace('"prototype"', '"__proto__"');
  const answered = await sendAndCheck(pair, account, { caller, asking: valid, raw });
  if (answered.status !== 400) account.faults.push(`${valid.operation.name} takes __proto__: ${answered.text}`);
}

/** Returns the body with an object at this path: the object that is there, or the smallest valid one. */
function withObjectAt(body: MatrixRequest['body'], { path, sample }: ObjectLevel): MatrixRequest['body'] {
  if (!path) return body;
  const held = path.split('.').reduce((object, name) => object?.[name], body);
  return held === undefined ? withValueAt(body, path, sample) : body;
}

async function expectRefusal(
  pair: CompanyPair,
  account: Findings,
  { caller, asking, path }: { caller: Caller; asking: MatrixRequest; path: string },
): Promise<void> {
  const { status, body, text } = await sendAndCheck(pair, account, { caller, asking });
  const named = ((body?.errors ?? []) as { path: string; code: string }[]).some(
    (error) => error.path === path && error.code === 'ADDITIONAL_PROPERTIES',
  );
  // The parser of forms refuses the names of properties that every object inherits, with an error of its own.
  const isUnread = asking.operation.form && body?.code === 'MALFORMED_BODY' && path in {};
  if (status !== 400 || !(named || isUnread))
    account.faults.push(`${asking.operation.name}: ${path} answers ${status} ${text.slice(0, 300)}`);
}
