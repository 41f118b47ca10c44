/**
 * Tries every place of an id with another company's id, an unknown id and nonsense, for every caller: the first two get the same
 * bytes, and no refused request changes anything.
 */
import { newId } from '../../../src/platform/ids.ts';
import { ask, checkOwn, isByRight, prepare, sameAnswer, validAsking, withText } from './asking.ts';
import type { Account, Answer, Asking, Pair } from './asking.ts';
import type { Caller, Callers } from './callers.ts';
import { changedTables, findId, snapshot } from './companies.ts';
import type { Operation } from './document.ts';
import { findPositions, reportsNonsense, type Position } from './positions.ts';

const nonsense = (id: string): string[] => [
  'nonsense',
  id.toUpperCase().replace(/^\d+$/, 'A'),
  id.slice(1),
  `${id}0`,
  `${id}' or '1'='1`,
  ` ${id}`,
  '%',
];

/** Callers who may not send the request learn nothing more; callers who may learn nothing about the other company. */
export async function proveIsolation(
  pair: Pair,
  callers: Callers,
  operation: Operation,
  account: Account,
): Promise<void> {
  const { platform, own, other } = pair;
  const { allowed, refused } = await callers.chooseCast(operation);
  // Callers for whom another company's record does not exist.
  const walled = allowed.filter((caller) => !isByRight(operation, caller));
  await prepare(operation, platform, own);
  const before = await snapshot(platform, [own._id, other._id]);
  const valid = validAsking(operation, own);
  for (const caller of refused)
    checkRefusal(account, caller, operation, await ask(pair, account, { caller, asking: valid }));
  for (const position of findPositions(operation)) {
    const turn = account.asked % refused.length;
    const strangers = callers.takesTurns ? refused.slice(turn, turn + 1) : refused;
    await probePosition(pair, account, { position, valid, callers: [...walled, ...strangers] });
    const [caller] = walled;
    if (!caller || callers.brief) continue;
    await probeNonsense(pair, account, { position, valid, callers: walled });
    await probeKinds(pair, account, { position, valid, caller });
  }
  const after = await snapshot(platform, [own._id, other._id]);
  const changed = changedTables(before, after);
  if (changed.length > 0) account.faults.push(`${operation.name} was refused and changed ${changed.join()}`);
}

/** Checks that the valid request of every allowed caller succeeds, without which the refusals would prove nothing. */
export async function proveRightful(
  pair: Pair,
  callers: Callers,
  operation: Operation,
  account: Account,
): Promise<void> {
  const { platform, own, other } = pair;
  const { allowed } = await callers.chooseCast(operation);
  const before = await snapshot(platform, [other._id]);
  for (const caller of allowed) {
    await prepare(operation, platform, own);
    const answer = await ask(pair, account, { caller, asking: validAsking(operation, own) });
    const what = `${operation.name} for ${caller.name}`;
    if (!operation.successes.includes(answer.status))
      account.faults.push(`${what} answers ${answer.status}: ${answer.text}`);
    if (!isByRight(operation, caller)) checkOwn(pair, account, what, answer);
  }
  const changed = changedTables(before, await snapshot(platform, [other._id]));
  if (changed.length > 0) account.faults.push(`${operation.name} changed ${changed.join()} of another company`);
}

interface Probe {
  position: Position;
  valid: Asking;
}

async function probePosition(pair: Pair, account: Account, probe: Probe & { callers: Caller[] }): Promise<void> {
  const { position, valid, callers } = probe;
  const [first = '', ...further] = namedKinds(pair, position);
  await inTurns(callers, async (caller) => {
    const put = (id: string) =>
      ask(pair, account, { caller, asking: askingFor(valid, position, position.write(id, pair.own)) });
    const unknown = await put(newId());
    checkAnswer(account, { position, valid, caller }, unknown);
    const others = [await put(findId(pair.other, first))];
    // A caller without the right is refused before any record is looked up.
    if (caller.refusal) return compare(account, { position, valid, caller }, [unknown, ...others]);
    const slug = position.in === 'body' && !position.isId ? pair.other.slugs[first] : undefined;
    const ids = ['f'.repeat(24), ...further.map((kind) => findId(pair.other, kind)), ...(slug ? [slug] : [])];
    for (const id of ids) others.push(await put(id));
    // A record inside another record: both ids are foreign, so that one belongs to the other.
    if (position.in === 'path' && valid.operation.params.length > 1)
      others.push(await ask(pair, account, { caller, asking: { ...valid, params: foreignParams(pair, valid) } }));
    compare(account, { position, valid, caller }, [unknown, ...others]);
  });
}

/** The kinds that a position can name; `*` stands for all of them. */
const namedKinds = ({ other }: Pair, { kinds }: Position): string[] =>
  kinds.includes('*') ? Object.keys(other.records) : kinds;

/** Tries texts that are not ids: one with every caller, all of them with the first caller. */
async function probeNonsense(pair: Pair, account: Account, probe: Probe & { callers: Caller[] }): Promise<void> {
  const { position, valid, callers } = probe;
  await inTurns(callers, async (caller) => {
    const put = (id: string) => ask(pair, account, { caller, asking: askingFor(valid, position, id) });
    const unknown = position.isFree ? await put(newId()) : null;
    const [kind = ''] = namedKinds(pair, position);
    for (const text of nonsense(findId(pair.other, kind)).slice(0, caller === callers[0] ? undefined : 1)) {
      const answer = await put(text);
      if (unknown) compare(account, { position, valid, caller }, [unknown, answer]);
      else if (answer.status !== 404 && (position.in === 'path' || answer.status !== 400))
        account.faults.push(`${valid.operation.name}: '${text}' as ${position.path} answers ${answer.status}`);
      else if (reportsNonsense(position, pair.other) && answer.body?.code !== 'VALIDATION_FAILED')
        account.faults.push(`${valid.operation.name}: '${text}' as ${position.path} is ${answer.body?.code}`);
    }
  });
}

/** The request with this text in the position; the text itself is masked in the answer where that may repeat it. */
function askingFor(valid: Asking, position: Position, text: string): Asking {
  const asking = withText(valid, position, text);
  return position.echoed ? { ...asking, echoed: text } : asking;
}

function foreignParams(pair: Pair, { operation }: Asking): Record<string, string> {
  const positions = findPositions(operation).filter((position) => position.in === 'path');
  return Object.fromEntries(positions.map(({ path, kinds: [kind = ''] }) => [path, findId(pair.other, kind)]));
}

/** Checks that ids of other kinds, the other company's and the own ones, are unknown here. */
async function probeKinds(pair: Pair, account: Account, probe: Probe & { caller: Caller }): Promise<void> {
  const { position, valid, caller } = probe;
  const put = (id: string) =>
    ask(pair, account, { caller, asking: askingFor(valid, position, position.write(id, pair.own)) });
  const unknown = await put(newId());
  const named = namedKinds(pair, position);
  const kinds = Object.keys(pair.own.records).filter((kind) => !named.includes(kind));
  const ids = kinds.flatMap((kind) => [pair.own, pair.other].map((side) => findId(side, kind)));
  await inTurns(ids, async (id) => {
    compare(account, probe, [unknown, await put(id)]);
  });
}

function compare(account: Account, { position, valid, caller }: Probe & { caller: Caller }, answers: Answer[]): void {
  const [unknown, ...others] = answers as [Answer, ...Answer[]];
  const shown = ({ status, text, headers }: Answer): string => `${status} ${text} ${headers}`.slice(0, 400);
  for (const answer of others.filter((one) => !sameAnswer(one, unknown))) {
    const place = `${valid.operation.name}, ${position.path} for ${caller.name}`;
    const told = `an id that is not for it answers ${shown(answer)}, an unknown one ${shown(unknown)}`;
    account.faults.push(`${place}: ${told}`);
  }
}

function checkAnswer(account: Account, { position, valid, caller }: Probe & { caller: Caller }, answer: Answer): void {
  if (caller.refusal) return checkRefusal(account, caller, valid.operation, answer);
  const { status, body } = answer;
  const isQuiet = position.in === 'path' || position.unsaid || status < 300;
  const named = isQuiet || placePattern(position).test(body?.errors?.[0]?.path);
  const code = { 404: 'NOT_FOUND', 401: 'INVALID_CREDENTIALS', 400: 'UNKNOWN_REFERENCE' }[status];
  if (status !== position.answer || !named || body?.code !== code)
    account.faults.push(`${valid.operation.name}: an unknown ${position.path} answers ${status} ${answer.text}`);
}

/** The names that a problem may use for the place: `steps[0]._id` for `steps[]._id`, any key for `custom_fields.*`. */
function placePattern({ at, path }: Position): RegExp {
  const source = RegExp.escape(at ?? path)
    .replaceAll(String.raw`\[\]`, String.raw`\[\d+\]`)
    .replaceAll(String.raw`\{\}`, String.raw`\.[^.]+`)
    .replaceAll(String.raw`\*`, '.+');
  return new RegExp(`^${source}$`);
}

function checkRefusal(account: Account, { name, refusal }: Caller, operation: Operation, answer: Answer): void {
  if (answer.status !== refusal?.status || answer.body?.code !== refusal.code)
    account.faults.push(`${operation.name} for ${name} answers ${answer.status} ${answer.text.slice(0, 300)}`);
}

// As many requests at a time as the platform has connections.
const LANES = 4;

async function inTurns<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
