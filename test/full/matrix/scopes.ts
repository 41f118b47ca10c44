/**
 * Sends the valid request of every operation with a key that has the scope of the operation alone. The key gets no word of a record that needs
 * another scope, and a refusal names a scope that the document names.
 */
import { IMPLIED } from '../../../src/platform/values/scopes.ts';
import { buildValidRequest, prepareRecords, sendAndCheck, type CompanyPair, type Findings } from './asking.ts';
import { createFullCompany, digestTables, findId } from './companies.ts';
import type { Operation } from './document.ts';
import { SAMPLES } from './samples.ts';

export async function checkScopes(
  { platform, other }: CompanyPair,
  all: Operation[],
  account: Findings,
): Promise<void> {
  // The other promises change the words.
  const own = await createFullCompany(platform);
  await digestTables(platform, [own._id]);
  const words = await listWords({ platform, own, other });
  const keys = new Map<string, string>();
  // What stores nothing comes first, because other requests change the words.
  const rank = ({ auditAction }: Operation): number => (auditAction === undefined ? 0 : 1);
  for (const operation of all.toSorted((a, b) => rank(a) - rank(b))) {
    const { name, scope, needs, successes } = operation;
    if (scope === null) continue;
    const token = keys.get(scope) ?? (await platform.createKey(own._id, [scope])).token;
    keys.set(scope, token);
    await prepareRecords(operation, platform, own);
    const caller = { name: `key with ${scope} alone`, token, refusal: null };
    const asking = buildValidRequest(operation, own);
    const { status, text, body } = await sendAndCheck({ platform, own, other }, account, { caller, asking });
    const [resource = ''] = scope.split(':');
    for (const [kind, secrets] of words)
      if (kind !== resource && !isImplied(scope, kind) && secrets.some((word) => text.includes(word)))
        account.faults.push(`${name} shows ${kind} to a ${caller.name}: ${text.slice(0, 300)}`);
    const missing = / scope (\S+) is missing/.exec(body?.detail)?.[1];
    const isExpected = missing
      ? needs.includes(missing)
      : successes.includes(status) || operation.globalOnly || SAMPLES[name]?.also !== undefined;
    if (!isExpected) account.faults.push(`${name} answers ${status} to a ${caller.name}: ${text.slice(0, 300)}`);
  }
}

const isImplied = (scope: string, kind: string): boolean =>
  IMPLIED.some(({ scopes, shows = [] }) => scopes.includes(scope) && shows.some((one) => one === kind));

/** The words of a record of each kind, in answers that show the record. */
async function listWords({ platform, own }: CompanyPair): Promise<Map<string, string[]>> {
  const { marker } = own;
  const [file] = await platform.database.sql<{ link: string }>('select link from attachments where _id = $1', [
    findId(own, 'attachment'),
  ]);
  return new Map([
    ['contacts', [`${marker} contact`]],
    ['messages', [`${marker} message`]],
    ['knowledge', [`${marker} knowledge`]],
    ['tables', [`${marker} table`, `${marker} row`]],
    ['attachments', [String(file?.link)]],
  ]);
}
