/** Properties and parameters that no caller may set are refused and not ignored: unknown names, read-only fields, database columns. */
import { ask, prepare, validAsking, type Account, type Asking, type Pair } from './asking.ts';
import type { Caller, Callers } from './callers.ts';
import { changedTables, snapshot } from './companies.ts';
import { objectLevels, withValue, type Level, type Operation } from './document.ts';

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

export async function proveProperties(
  pair: Pair,
  callers: Callers,
  operation: Operation,
  account: Account,
): Promise<void> {
  const { platform, own, other } = pair;
  const [caller] = (await callers.chooseCast(operation)).allowed as [Caller];
  await prepare(operation, platform, own);
  const before = await snapshot(platform, [own._id, other._id]);
  const valid = validAsking(operation, own);
  for (const name of ['surprise', 'company', 'company_id', 'companyId', 'x-company-id']) {
    const asking = { ...valid, query: { [name]: other._id } };
    await expectRefusal(pair, account, { caller, asking, path: name });
  }
  if (operation.body) await proveBody(pair, account, { caller, valid });
  // fetch() can not send a body with a GET.
  else if (operation.method !== 'GET')
    await expectRefusal(pair, account, { caller, asking: { ...valid, body: { company: other._id } }, path: 'body' });
  const after = await snapshot(platform, [own._id, other._id]);
  const changed = changedTables(before, after);
  if (changed.length > 0) account.faults.push(`${operation.name} refused a property and changed ${changed.join()}`);
}

async function proveBody(pair: Pair, account: Account, given: { caller: Caller; valid: Asking }): Promise<void> {
  const { caller, valid } = given;
  const { body, answer } = valid.operation;
  for (const level of objectLevels(body, answer)) {
    const known = Object.keys((body as { properties?: object }).properties ?? {});
    const names = [
      ...level.readOnly,
      ...STRANGE,
      ...(level.path ? [] : ALWAYS.filter((name) => !known.includes(name))),
    ];
    for (const name of new Set(names)) {
      const path = level.path ? `${level.path}.${name}` : name;
      const asking = { ...valid, body: withValue(filledBody(valid.body, level), path, pair.other._id) };
      await expectRefusal(pair, account, { caller, asking, path });
    }
  }
  const raw = JSON.stringify({ ...valid.body, prototype: 1 }).replace('"prototype"', '"__proto__"');
  const answered = await ask(pair, account, { caller, asking: valid, raw });
  if (answered.status !== 400) account.faults.push(`${valid.operation.name} takes __proto__: ${answered.text}`);
}

/** The body with this object in it: the caller's own, or the smallest valid one. */
function filledBody(body: Asking['body'], { path, sample }: Level): Asking['body'] {
  if (!path) return body;
  const held = path.split('.').reduce((object, name) => object?.[name], body);
  return held === undefined ? withValue(body, path, sample) : body;
}

async function expectRefusal(
  pair: Pair,
  account: Account,
  { caller, asking, path }: { caller: Caller; asking: Asking; path: string },
): Promise<void> {
  const { status, body, text } = await ask(pair, account, { caller, asking });
  const named = ((body?.errors ?? []) as { path: string; code: string }[]).some(
    (error) => error.path === path && error.code === 'ADDITIONAL_PROPERTIES',
  );
  // The parser of forms refuses names that every object inherits.
  const isUnread = asking.operation.form && body?.code === 'MALFORMED_BODY' && path in {};
  if (status !== 400 || !(named || isUnread))
    account.faults.push(`${asking.operation.name}: ${path} answers ${status} ${text.slice(0, 300)}`);
}
