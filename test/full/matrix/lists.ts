/** Lists of a company contain only its own records, with every filter, order and page, and their totals count no others. */
import type { Json } from '../../support/platform.ts';
import { ask, checkOwn, isByRight, validAsking, type Account, type Pair } from './asking.ts';
import type { Caller, Callers } from './callers.ts';
import type { Operation } from './document.ts';

export const isList = (operation: Operation): boolean => operation.query.some(({ name }) => name === 'page');

/** Queries with each value of each enumerated filter, each order, and without a total. */
function listQueries(operation: Operation): Record<string, string>[] {
  const filtered = operation.query.flatMap(({ name, schema }) =>
    ((schema.enum ?? []) as string[]).map((value) => ({ [name]: value })),
  );
  return [{}, { skipCount: 'true' }, { page: '2' }, ...filtered];
}

export async function proveLists(pair: Pair, callers: Callers, operation: Operation, account: Account): Promise<void> {
  if (!isList(operation)) return;
  const { allowed } = await callers.chooseCast(operation);
  const walled = allowed.filter((caller) => !isByRight(operation, caller));
  for (const caller of walled) {
    for (const query of listQueries(operation)) await proveList(pair, account, { operation, caller, query });
  }
  const [caller] = walled;
  if (caller) await proveWalk(pair, account, { operation, caller });
}

const MOST = 100;

interface Listing {
  operation: Operation;
  caller: Caller;
}

async function proveList(
  pair: Pair,
  account: Account,
  { operation, caller, query }: Listing & { query: Record<string, string> },
): Promise<void> {
  const asking = { ...validAsking(operation, pair.own), query: { limit: String(MOST), ...query } };
  const answer = await ask(pair, account, { caller, asking });
  const what = `${operation.name} ${JSON.stringify(query)} for ${caller.name}`;
  if (answer.status !== 200) return void account.faults.push(`${what} answers ${answer.status} ${answer.text}`);
  checkOwn(pair, account, what, answer);
  const { result, meta } = pageIn(answer.body);
  const whole = Object.keys(query).length === 0;
  if (whole && result.length === 0) account.faults.push(`${what} shows nothing, and so proves nothing`);
  if (meta.totalCount !== null && !query['page'] && Math.min(meta.totalCount, MOST) !== result.length)
    account.faults.push(`${what} shows ${result.length} records and counts ${meta.totalCount}`);
}

/** A record that contains a list has the page inside itself. */
const pageIn = (body: Json): Json => body?.rows ?? body;

/** Walks the list by its cursor, one record at a time: the result is the same as in one page. */
async function proveWalk(pair: Pair, account: Account, { operation, caller }: Listing): Promise<void> {
  const valid = validAsking(operation, pair.own);
  const read = async (query: Record<string, string>) =>
    pageIn((await ask(pair, account, { caller, asking: { ...valid, query } })).body);
  const whole = await read({ limit: String(MOST) });
  const ids = (page: { result: { _id: string }[] }): string[] => page.result.map((record) => record._id);
  let page = await read({ limit: '1' });
  const walked = ids(page);
  while (page.meta.nextCursor && walked.length < whole.result.length) {
    page = await read({ limit: '1', after: page.meta.nextCursor });
    walked.push(...ids(page));
  }
  const ends = [page, whole].map(({ meta }) => meta.nextCursor === null);
  if (walked.join() !== ids(whole).join() || ends[0] !== ends[1])
    account.faults.push(`${operation.name}: the cursor walks ${walked.join()}, the page shows ${ids(whole).join()}`);
}
