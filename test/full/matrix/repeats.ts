/**
 * A request with an Idempotency-Key: a repetition creates nothing more and answers with the same record; with another body it is refused.
 */
import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/platform/ids.ts';
import { ask, prepare, validAsking, withText, type Account, type Answer, type Asking, type Pair } from './asking.ts';
import type { Caller, Callers } from './callers.ts';
import { changedTables, snapshot } from './companies.ts';
import { textPlaces, type Operation } from './document.ts';
import { withHeader } from './trails.ts';

// The number of requests at the same moment, enough that some arrive while the first one still runs.
const AT_ONCE = 6;

interface Scene {
  pair: Pair;
  account: Account;
  asking: Asking;
  put(caller: Caller, asking: Asking, key: string): Promise<Answer>;
}

export async function proveRepeats(
  pair: Pair,
  callers: Callers,
  operation: Operation,
  account: Account,
): Promise<void> {
  if (!operation.repeatable) return;
  const { allowed } = await callers.chooseCast(operation);
  for (const caller of allowed) {
    await proveRepeat(await openScene(pair, account, operation), caller);
    await proveRace(await openScene(pair, account, operation), caller);
  }
  const [first, other] = [allowed[0], allowed.find(({ token }) => token !== allowed[0]?.token)];
  if (first && other) await proveOwners(pair, account, operation, [first, other]);
}

async function openScene(pair: Pair, account: Account, operation: Operation): Promise<Scene> {
  await prepare(operation, pair.platform, pair.own);
  const put: Scene['put'] = (caller, asking, key) =>
    ask(pair, account, { caller: withHeader(caller, 'idempotency-key', key), asking });
  return { pair, account, asking: validAsking(operation, pair.own), put };
}

const freshKey = (): string => randomBytes(12).toString('base64url');

async function proveRepeat({ pair, account, asking, put }: Scene, caller: Caller): Promise<void> {
  const { operation } = asking;
  const key = freshKey();
  const fault = (sentence: string): void =>
    void account.faults.push(`${operation.name} for ${caller.name}: ${sentence}`);
  const first = await put(caller, asking, key);
  const made = await readCounts(pair);
  const again = await put(caller, asking, key);
  if (!operation.successes.includes(first.status) || again.status !== first.status || again.body._id !== first.body._id)
    fault(
      `a repeat answers ${again.status} ${again.text.slice(0, 300)}, not as ${first.status} ${first.text.slice(0, 300)}`,
    );
  if (!again.headers.includes('"idempotent-replayed","true"')) fault('a repeat does not say that it is one');
  const another = await put(caller, changed(asking, String(first.body._id)), key);
  if (another.status !== 422 || another.body.code !== 'IDEMPOTENCY_KEY_REUSED')
    fault(`another request with the key answers ${another.status} ${another.text.slice(0, 300)}`);
  const changes = changedTables(made, await readCounts(pair));
  if (changes.length > 0) fault(`a repeat, or what was refused, made or changed something: ${changes.join()}`);
}

/** At the same moment one request creates the record; the others get the same record, or 409 to come back. */
async function proveRace({ pair, account, asking, put }: Scene, caller: Caller): Promise<void> {
  const { operation } = asking;
  const key = freshKey();
  const before = await countLines(pair);
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => put(caller, asking, key)));
  const made = answers.filter(({ status }) => operation.successes.includes(status));
  const others = answers.filter((answer) => !made.includes(answer));
  const ids = new Set(made.map(({ body }) => body._id));
  const lines = (await countLines(pair)) - before;
  if (ids.size === 1 && lines === 1 && others.every(({ body }) => body?.code === 'IDEMPOTENCY_IN_FLIGHT')) return;
  const told = answers.map(({ status, body }) => `${status} ${body?._id ?? body?.code}`).join(', ');
  account.faults.push(`${operation.name} for ${caller.name}, ${AT_ONCE} at once, ${lines} lines in the audit: ${told}`);
}

/** The same key of two callers stands for two requests. */
async function proveOwners(
  pair: Pair,
  account: Account,
  operation: Operation,
  [first, other]: [Caller, Caller],
): Promise<void> {
  const key = freshKey();
  const made: Answer[] = [];
  for (const caller of [first, other]) {
    const scene = await openScene(pair, account, operation);
    made.push(await scene.put(caller, scene.asking, key));
  }
  const [one, two] = made.map(({ body }) => body?._id);
  const isReplayed = made.some(({ headers }) => headers.includes('idempotent-replayed'));
  // An operation on an existing record answers every caller with that record.
  const isSame = one === two && !Object.keys(validAsking(operation, pair.own).params).length;
  if (one === undefined || two === undefined || isSame || isReplayed)
    account.faults.push(`${operation.name}: the key of ${first.name} means ${one}, that of ${other.name} ${two}`);
}

/** The same request with another body or, for one without a body, for another record. */
function changed(asking: Asking, made: string): Asking {
  const { body, params, operation } = asking;
  if (operation.form) return { ...asking, body: { ...body, file: `${body.file}Bea\n` } };
  const place = textPlaces(operation).find((one) => one.in === 'body' && typeof body?.[one.path] === 'string');
  if (place) return withText(asking, place, place.isId ? newId() : `${body[place.path]}1`);
  const [name = ''] = Object.keys(params);
  return { ...asking, params: { ...params, [name]: made } };
}

async function countLines({ platform }: Pair): Promise<number> {
  const [row] = await platform.database.sql<{ count: number }>('select count(*)::int as count from audit_log');
  return row?.count ?? 0;
}

/** The state of the company's data, and the number of records without a company. */
async function readCounts({ platform, own }: Pair): Promise<Map<string, string>> {
  // The snapshot comes first, because it waits for the jobs.
  const digests = await snapshot(platform, [own._id]);
  const [counts] = await platform.database.sql<Record<string, string>>(
    `select (select count(*) from companies) as "all companies", (select count(*) from users) as "all users",
      (select count(*) from api_keys) as "all keys", (select count(*) from audit_log) as "all lines"`,
  );
  return new Map([...digests, ...Object.entries(counts ?? {})]);
}
