/** Checks that lists of a company contain only its own records, with every filter, order and page, and that their totals count no others. */
import type { Json } from '../../support/platform.ts';
import {
  sendAndCheck,
  checkShowsOwnRecords,
  mayReachAllCompanies,
  prepareRecords,
  buildValidRequest,
  type Findings,
  type CompanyPair,
} from './asking.ts';
import type { Caller, Callers } from './callers.ts';
import type { Operation } from './document.ts';

export const isList = (operation: Operation): boolean => operation.query.some(({ name }) => name === 'page');

/** Lists queries with each value of each enumerated filter, with each order, and without a total. */
function listListQueries(operation: Operation): Record<string, string>[] {
  const filtered = operation.query.flatMap(({ name, schema }) =>
    ((schema.enum ?? []) as string[]).map((value) => ({ [name]: value })),
  );
  return [{}, { skipCount: 'true' }, { page: '2' }, ...filtered];
}

export async function checkLists(
  pair: CompanyPair,
  callers: Callers,
  operation: Operation,
  account: Findings,
): Promise<void> {
  if (!isList(operation)) return;
  const { allowed } = await callers.chooseCast(operation);
  await prepareRecords(operation, pair.platform, pair.own);
  const walled = allowed.filter((caller) => !mayReachAllCompanies(operation, caller));
  for (const caller of walled) {
    for (const query of listListQueries(operation)) await checkList(pair, account, { operation, caller, query });
  }
  const [caller] = walled;
  if (caller) await checkCursorWalk(pair, account, { operation, caller });
}

const MOST = 100;

interface Listing {
  operation: Operation;
  caller: Caller;
}

async function checkList(
  pair: CompanyPair,
  account: Findings,
  { operation, caller, query }: Listing & { query: Record<string, string> },
): Promise<void> {
  const asking = { ...buildValidRequest(operation, pair.own), query: { limit: String(MOST), ...query } };
  const answer = await sendAndCheck(pair, account, { caller, asking });
  const what = `${operation.name} ${JSON.stringify(query)} for ${caller.name}`;
  if (answer.status !== 200) return void account.faults.push(`${what} answers ${answer.status} ${answer.text}`);
  checkShowsOwnRecords(pair, account, what, answer);
  const { result, meta } = getPage(answer.body);
  const whole = Object.keys(query).length === 0;
  if (whole && result.length === 0) account.faults.push(`${what} shows nothing, and so proves nothing`);
  if (meta.totalCount !== null && !query['page'] && Math.min(meta.totalCount, MOST) !== result.length)
    account.faults.push(`${what} shows ${result.length} records and counts ${meta.totalCount}`);
}

/** Returns the page of an answer. In the answer of a table, it is the property `rows`. */
const getPage = (body: Json): Json => body?.rows ?? body;

/** Reads the list by its cursor, one record at a time, and checks that the result is the same as in one page. */
async function checkCursorWalk(pair: CompanyPair, account: Findings, { operation, caller }: Listing): Promise<void> {
  const valid = buildValidRequest(operation, pair.own);
  const read = async (query: Record<string, string>) =>
    getPage((await sendAndCheck(pair, account, { caller, asking: { ...valid, query } })).body);
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
