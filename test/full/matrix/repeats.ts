/**
 * Checks requests with an Idempotency-Key: a repetition creates nothing more and answers with the same record, and is refused when its body
 * is different.
 */
import { randomBytes } from 'node:crypto';
import { isId, newId } from '../../../src/platform/values/ids.ts';
import {
  sendAndCheck,
  prepareRecords,
  buildValidRequest,
  withTextAt,
  type Findings,
  type MatrixAnswer,
  type MatrixRequest,
  type CompanyPair,
} from './asking.ts';
import type { Caller, Callers } from './callers.ts';
import { listChangedTables, digestTables } from './companies.ts';
import { listTextPlaces, type Operation } from './document.ts';
import { withHeader } from './trails.ts';
import { SAMPLES } from './samples.ts';

// The number of requests at the same moment, enough that some arrive while the first one still runs.
const AT_ONCE = 6;

interface RepeatScene {
  pair: CompanyPair;
  account: Findings;
  asking: MatrixRequest;
  put(caller: Caller, asking: MatrixRequest, key: string): Promise<MatrixAnswer>;
}

export async function checkRepeats(
  pair: CompanyPair,
  callers: Callers,
  operation: Operation,
  account: Findings,
): Promise<void> {
  if (!operation.repeatable) return;
  const { allowed } = await callers.chooseCast(operation);
  for (const caller of allowed) {
    await checkRepeat(await prepareScene(pair, account, operation), caller);
    await checkConcurrentRepeats(await prepareScene(pair, account, operation), caller);
  }
  const [first, other] = [allowed[0], allowed.find(({ token }) => token !== allowed[0]?.token)];
  if (first && other) await checkKeyOwners(pair, account, operation, [first, other]);
}

async function prepareScene(pair: CompanyPair, account: Findings, operation: Operation): Promise<RepeatScene> {
  await prepareRecords(operation, pair.platform, pair.own);
  const put: RepeatScene['put'] = (caller, asking, key) =>
    sendAndCheck(pair, account, { caller: withHeader(caller, 'idempotency-key', key), asking });
  return { pair, account, asking: buildValidRequest(operation, pair.own), put };
}

const makeIdempotencyKey = (): string => randomBytes(12).toString('base64url');

async function checkRepeat({ pair, account, asking, put }: RepeatScene, caller: Caller): Promise<void> {
  const { operation } = asking;
  const key = makeIdempotencyKey();
  const fault = (sentence: string): void =>
    void account.faults.push(`${operation.name} for ${caller.name}: ${sentence}`);
  const first = await put(caller, asking, key);
  const made = await readDigestsAndCounts(pair);
  const again = await put(caller, asking, key);
  if (!operation.successes.includes(first.status) || again.status !== first.status || again.body._id !== first.body._id)
    fault(
      `a repeat answers ${again.status} ${again.text.slice(0, 300)}, not as ${first.status} ${first.text.slice(0, 300)}`,
    );
  if (!again.headers.includes('"idempotent-replayed","true"')) fault('a repeat does not say that it is one');
  const another = await put(caller, changeRequest(asking, String(first.body._id)), key);
  if (another.status !== 422 || another.body.code !== 'IDEMPOTENCY_KEY_REUSED')
    fault(`another request with the key answers ${another.status} ${another.text.slice(0, 300)}`);
  const changes = listChangedTables(made, await readDigestsAndCounts(pair));
  if (changes.length > 0) fault(`a repeat, or what was refused, made or changed something: ${changes.join()}`);
}

/** Sends the same request several times at once. One of them creates the record; the others answer with this record, or 409. */
async function checkConcurrentRepeats({ pair, account, asking, put }: RepeatScene, caller: Caller): Promise<void> {
  const { operation } = asking;
  const key = makeIdempotencyKey();
  const before = await countAuditEntries(pair);
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => put(caller, asking, key)));
  const made = answers.filter(({ status }) => operation.successes.includes(status));
  const others = answers.filter((answer) => !made.includes(answer));
  const ids = new Set(made.map(({ body }) => body._id));
  const lines = (await countAuditEntries(pair)) - before;
  if (ids.size === 1 && lines === 1 && others.every(({ body }) => body?.code === 'IDEMPOTENCY_IN_FLIGHT')) return;
  const told = answers.map(({ status, body }) => `${status} ${body?._id ?? body?.code}`).join(', ');
  account.faults.push(`${operation.name} for ${caller.name}, ${AT_ONCE} at once, ${lines} lines in the audit: ${told}`);
}

/** Checks that the same key of two callers stands for two requests. */
async function checkKeyOwners(
  pair: CompanyPair,
  account: Findings,
  operation: Operation,
  [first, other]: [Caller, Caller],
): Promise<void> {
  const key = makeIdempotencyKey();
  const made: MatrixAnswer[] = [];
  for (const caller of [first, other]) {
    const scene = await prepareScene(pair, account, operation);
    made.push(await scene.put(caller, scene.asking, key));
  }
  const [one, two] = made.map(({ body }) => body?._id);
  const isReplayed = made.some(({ headers }) => headers.includes('idempotent-replayed'));
  // An operation on an existing record returns that record to every caller.
  const isSame = one === two && !Object.keys(buildValidRequest(operation, pair.own).params).length;
  if (one === undefined || two === undefined || isSame || isReplayed)
    account.faults.push(`${operation.name}: the key of ${first.name} means ${one}, that of ${other.name} ${two}`);
}

/** Returns the request with another text in its body, with another record in its path, or with another text somewhere inside of its body. */
function changeRequest(asking: MatrixRequest, made: string): MatrixRequest {
  const { body, params, operation } = asking;
  const { other } = SAMPLES[operation.name] ?? {};
  if (other) return { ...asking, body: { ...body, ...other } };
  if (operation.form) return { ...asking, body: { ...body, file: `${body.file}Bea\n` } };
  const place = listTextPlaces(operation).find((one) => one.in === 'body' && typeof body?.[one.path] === 'string');
  if (place) return withTextAt(asking, place, place.isId ? newId() : `${body[place.path]}1`);
  const [name] = Object.keys(params);
  if (name === undefined) return { ...asking, body: changeFirstText(body) };
  return { ...asking, params: { ...params, [name]: params[name] === made ? newId() : made } };
}

/** Returns the value with another text, or another id, in the place of the first one that is found inside. */
function changeFirstText(value: unknown): unknown {
  if (typeof value === 'string') return isId(value) ? newId() : `${value}1`;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const found = entries.find(([, inner]) => JSON.stringify(changeFirstText(inner)) !== JSON.stringify(inner));
  if (!found) return value;
  const [name, inner] = found;
  return Array.isArray(value)
    ? value.with(Number(name), changeFirstText(inner))
    : { ...value, [name]: changeFirstText(inner) };
}

async function countAuditEntries({ platform }: CompanyPair): Promise<number> {
  const [row] = await platform.database.sql<{ count: number }>('select count(*)::int as count from audit_log');
  return row?.count ?? 0;
}

/** Returns digests of the company's data, and the numbers of records without a company. */
async function readDigestsAndCounts({ platform, own }: CompanyPair): Promise<Map<string, string>> {
  // The snapshot comes first, because it waits for the jobs.
  const digests = await digestTables(platform, [own._id]);
  const [counts] = await platform.database.sql<Record<string, string>>(
    `select (select count(*) from companies) as "all companies", (select count(*) from users) as "all users",
      (select count(*) from api_keys) as "all keys", (select count(*) from audit_log) as "all lines"`,
  );
  return new Map([...digests, ...Object.entries(counts ?? {})]);
}
