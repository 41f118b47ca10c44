/**
 * Tries every place of an id with another company's id, an unknown id and nonsense, for every caller. Another company's id and an unknown
 * id must get exactly the same answer, and no refused request may change anything.
 */
import { newId } from '../../../src/platform/values/ids.ts';
import {
  sendAndCheck,
  checkShowsOwnRecords,
  mayReachAllCompanies,
  prepareRecords,
  areSameAnswers,
  buildValidRequest,
  withTextAt,
} from './asking.ts';
import type { Findings, MatrixAnswer, MatrixRequest, CompanyPair } from './asking.ts';
import type { Caller, Callers } from './callers.ts';
import { listChangedTables, findId, digestTables } from './companies.ts';
import type { Operation } from './document.ts';
import { findPositions, reportsNonsense, type Position } from './positions.ts';

const listNonsense = (id: string): string[] => [
  'nonsense',
  id.toUpperCase().replace(/^\d+$/, 'A'),
  id.slice(1),
  `${id}0`,
  `${id}' or '1'='1`,
  ` ${id}`,
  '%',
];

/**
 * Checks that callers who may not send the request learn nothing more from any id, and that callers who may send it learn nothing about the
 * other company.
 */
export async function checkIsolation(
  pair: CompanyPair,
  callers: Callers,
  operation: Operation,
  account: Findings,
): Promise<void> {
  const { platform, own, other } = pair;
  const { allowed, refused } = await callers.chooseCast(operation);
  // The callers for whom records of another company do not exist.
  const walled = allowed.filter((caller) => !mayReachAllCompanies(operation, caller));
  await prepareRecords(operation, platform, own);
  const before = await digestTables(platform, [own._id, other._id]);
  const valid = buildValidRequest(operation, own);
  for (const caller of refused)
    checkRefusal(account, caller, operation, await sendAndCheck(pair, account, { caller, asking: valid }));
  for (const position of findPositions(operation)) {
    const turn = account.asked % refused.length;
    const strangers = callers.takesTurns ? refused.slice(turn, turn + 1) : refused;
    await tryForeignIds(pair, account, { position, valid, callers: [...walled, ...strangers] });
    const [caller] = walled;
    if (!caller || callers.brief) continue;
    await tryNonsense(pair, account, { position, valid, callers: walled });
    await tryOtherKinds(pair, account, { position, valid, caller });
  }
  const after = await digestTables(platform, [own._id, other._id]);
  const changed = listChangedTables(before, after);
  if (changed.length > 0) account.faults.push(`${operation.name} was refused and changed ${changed.join()}`);
}

/** Checks that the valid request of every allowed caller succeeds, without which the refusals would prove nothing. */
export async function checkAllowedCallersSucceed(
  pair: CompanyPair,
  callers: Callers,
  operation: Operation,
  account: Findings,
): Promise<void> {
  const { platform, own, other } = pair;
  const { allowed } = await callers.chooseCast(operation);
  const before = await digestTables(platform, [other._id]);
  for (const caller of allowed) {
    await prepareRecords(operation, platform, own);
    const answer = await sendAndCheck(pair, account, { caller, asking: buildValidRequest(operation, own) });
    const what = `${operation.name} for ${caller.name}`;
    if (!operation.successes.includes(answer.status))
      account.faults.push(`${what} answers ${answer.status}: ${answer.text}`);
    if (!mayReachAllCompanies(operation, caller)) checkShowsOwnRecords(pair, account, what, answer);
  }
  const changed = listChangedTables(before, await digestTables(platform, [other._id]));
  if (changed.length > 0) account.faults.push(`${operation.name} changed ${changed.join()} of another company`);
}

interface Probe {
  position: Position;
  valid: MatrixRequest;
}

async function tryForeignIds(
  pair: CompanyPair,
  account: Findings,
  probe: Probe & { callers: Caller[] },
): Promise<void> {
  const { position, valid, callers } = probe;
  const [first = '', ...further] = listNamedKinds(pair, position);
  await runInTurns(callers, async (caller) => {
    const put = (id: string) =>
      sendAndCheck(pair, account, {
        caller,
        asking: buildRequestWithText(valid, position, position.write(id, pair.own)),
      });
    const unknown = await put(newId());
    checkAnswer(account, { position, valid, caller }, unknown);
    const others = [await put(findId(pair.other, first))];
    // A caller without the right gets the refusal before any record is looked up.
    if (caller.refusal) return compareAnswers(account, { position, valid, caller }, [unknown, ...others]);
    // A filter by a slug that no field has is refused as any other text that names no field.
    const bySlug = position.in === 'body' && !position.isId && position.at === undefined;
    const slug = bySlug ? pair.other.slugs[first] : undefined;
    const ids = ['f'.repeat(24), ...further.map((kind) => findId(pair.other, kind)), ...(slug ? [slug] : [])];
    for (const id of ids) others.push(await put(id));
    // Where the path names a record inside another one, both ids are replaced, so that the inner record really belongs to the outer one.
    if (position.in === 'path' && valid.operation.params.length > 1)
      others.push(
        await sendAndCheck(pair, account, { caller, asking: { ...valid, params: fillForeignIds(pair, valid) } }),
      );
    compareAnswers(account, { position, valid, caller }, [unknown, ...others]);
  });
}

/** Lists the kinds that a place can name; `*` stands for all of them. */
const listNamedKinds = ({ other }: CompanyPair, { kinds }: Position): string[] =>
  kinds.includes('*') ? Object.keys(other.records) : kinds;

/** Tries texts that are not ids: the first caller tries all of them, and every other caller tries one. */
async function tryNonsense(pair: CompanyPair, account: Findings, probe: Probe & { callers: Caller[] }): Promise<void> {
  const { position, valid, callers } = probe;
  await runInTurns(callers, async (caller) => {
    const put = (id: string) =>
      sendAndCheck(pair, account, { caller, asking: buildRequestWithText(valid, position, id) });
    const unknown = position.isFree ? await put(newId()) : null;
    const [kind = ''] = listNamedKinds(pair, position);
    for (const text of listNonsense(findId(pair.other, kind)).slice(0, caller === callers[0] ? undefined : 1)) {
      const answer = await put(text);
      if (unknown) compareAnswers(account, { position, valid, caller }, [unknown, answer]);
      else if (answer.status !== 404 && (position.in === 'path' || answer.status !== 400))
        account.faults.push(`${valid.operation.name}: '${text}' as ${position.path} answers ${answer.status}`);
      else if (reportsNonsense(position, pair.other) && answer.body?.code !== 'VALIDATION_FAILED')
        account.faults.push(`${valid.operation.name}: '${text}' as ${position.path} is ${answer.body?.code}`);
    }
  });
}

/** Returns the request with this text at the place. Where the answer may repeat the text, it is masked before answers are compared. */
function buildRequestWithText(valid: MatrixRequest, position: Position, text: string): MatrixRequest {
  const asking = withTextAt(valid, position, text);
  return position.echoed ? { ...asking, echoed: text } : asking;
}

function fillForeignIds(pair: CompanyPair, { operation }: MatrixRequest): Record<string, string> {
  const positions = findPositions(operation).filter((position) => position.in === 'path');
  const name = ({ isId, kinds: [kind = ''] }: Position): string =>
    (isId ? undefined : pair.other.slugs[kind]) ?? findId(pair.other, kind);
  return Object.fromEntries(positions.map((position) => [position.path, name(position)]));
}

/** Checks that ids of records of other kinds, the other company's and its own, are unknown here. */
async function tryOtherKinds(pair: CompanyPair, account: Findings, probe: Probe & { caller: Caller }): Promise<void> {
  const { position, valid, caller } = probe;
  const put = (id: string) =>
    sendAndCheck(pair, account, {
      caller,
      asking: buildRequestWithText(valid, position, position.write(id, pair.own)),
    });
  const unknown = await put(newId());
  const named = listNamedKinds(pair, position);
  const kinds = Object.keys(pair.own.records).filter((kind) => !named.includes(kind));
  const ids = kinds.flatMap((kind) => [pair.own, pair.other].map((side) => findId(side, kind)));
  await runInTurns(ids, async (id) => {
    compareAnswers(account, probe, [unknown, await put(id)]);
  });
}

function compareAnswers(
  account: Findings,
  { position, valid, caller }: Probe & { caller: Caller },
  answers: MatrixAnswer[],
): void {
  const [unknown, ...others] = answers as [MatrixAnswer, ...MatrixAnswer[]];
  const shown = ({ status, text, headers }: MatrixAnswer): string => `${status} ${text} ${headers}`.slice(0, 400);
  for (const answer of others.filter((one) => !areSameAnswers(one, unknown))) {
    const place = `${valid.operation.name}, ${position.path} for ${caller.name}`;
    const told = `an id that is not for it answers ${shown(answer)}, an unknown one ${shown(unknown)}`;
    account.faults.push(`${place}: ${told}`);
  }
}

function checkAnswer(
  account: Findings,
  { position, valid, caller }: Probe & { caller: Caller },
  answer: MatrixAnswer,
): void {
  if (caller.refusal) return checkRefusal(account, caller, valid.operation, answer);
  const { status, body } = answer;
  const isQuiet = position.in === 'path' || position.unsaid || status < 300;
  const named = isQuiet || makePlacePattern(position).test(body?.errors?.[0]?.path);
  const code = { 404: 'NOT_FOUND', 401: 'INVALID_CREDENTIALS', 400: 'UNKNOWN_REFERENCE' }[status];
  if (status !== position.answer || !named || body?.code !== code)
    account.faults.push(`${valid.operation.name}: an unknown ${position.path} answers ${status} ${answer.text}`);
}

/**
 * Returns the names that an error may use for the place: `steps[0]._id` for `steps[]._id`, any key for `custom_fields.*`, and an index for an
 * object that stands for a list of one.
 */
function makePlacePattern({ at, path }: Position): RegExp {
  const source = RegExp.escape(at ?? path)
    .replaceAll(String.raw`\[\]`, String.raw`\[\d+\]`)
    .replaceAll(String.raw`\.`, String.raw`(?:\[\d+\])?\.`)
    .replaceAll(String.raw`\{\}`, String.raw`\.[^.]+`)
    .replaceAll(String.raw`\*`, '.+');
  return new RegExp(`^${source}$`);
}

function checkRefusal(account: Findings, { name, refusal }: Caller, operation: Operation, answer: MatrixAnswer): void {
  if (answer.status !== refusal?.status || answer.body?.code !== refusal.code)
    account.faults.push(`${operation.name} for ${name} answers ${answer.status} ${answer.text.slice(0, 300)}`);
}

// The number of concurrent requests, which is the number of the platform's connections.
const LANES = 4;

async function runInTurns<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
