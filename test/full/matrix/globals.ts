/** Checks records without a company: no company may see the global keys, and global keys see all companies. */
import { newId } from '../../../src/platform/values/ids.ts';
import {
  sendAndCheck,
  areSameAnswers,
  buildValidRequest,
  withTextAt,
  type Findings,
  type MatrixAnswer,
  type MatrixRequest,
  type CompanyPair,
} from './asking.ts';
import type { Caller } from './callers.ts';
import type { Operation } from './document.ts';

const BY_RIGHT = { global: true } as const;

interface GlobalsScene {
  pair: CompanyPair;
  account: Findings;
  asking(name: string): MatrixRequest;
  /** Callers that act for a company and must not see global keys. */
  walled: Caller[];
  /** A global key that acts for the company. */
  naming: Caller;
  homeless: Caller;
}

export async function checkGlobals(pair: CompanyPair, operations: Operation[], account: Findings): Promise<void> {
  const { platform, own } = pair;
  const token = platform.globalKey;
  const user = await platform.createUser(own._id, 'OWNER');
  const scene: GlobalsScene = {
    pair,
    account,
    asking: (name) => buildValidRequest(operations.find((operation) => operation.name === name) as Operation, own),
    walled: [
      { name: 'company key', token: own.key, refusal: null },
      { name: 'user', token: user.token, refusal: null },
    ],
    naming: { name: 'global key for a company', token, headers: { 'x-company-id': own._id }, refusal: null },
    homeless: { name: 'global key', token, refusal: null, ...BY_RIGHT },
  };
  await checkGlobalKeys(scene);
  await checkCompaniesAreVisible(scene);
}

const same = ({ account }: GlobalsScene, what: string, unknown: MatrixAnswer, answer: MatrixAnswer): void => {
  if (!areSameAnswers(unknown, answer))
    account.faults.push(`${what}: ${answer.text.slice(0, 300)}, not ${unknown.text}`);
};

/** Checks that only global keys can create a global key, and that only those that name no company can list and revoke it. */
async function checkGlobalKeys(scene: GlobalsScene): Promise<void> {
  const { pair, account, asking, walled, naming, homeless } = scene;
  const create = { ...asking('POST /v1/api-keys'), body: { name: 'Till', type: 'global', scopes: ['contacts:read'] } };
  for (const maker of [homeless, naming]) {
    const made = await sendAndCheck(pair, account, { caller: maker, asking: create });
    const id = String(made.body?._id);
    if (made.status !== 201 || made.body.company !== null)
      account.faults.push(`a global key is not made: ${made.text}`);
    const list = { ...asking('GET /v1/api-keys'), query: { limit: '100' } };
    const shown = await sendAndCheck(pair, account, { caller: homeless, asking: list });
    const keys = (shown.body?.result ?? []) as { _id: string; company: string | null; type: string }[];
    if (!keys.some((key) => key._id === id)) account.faults.push('a global key does not see the one that was made');
    for (const key of keys.filter(({ company, type }) => company !== null || type !== 'global'))
      account.faults.push(`without a company the key ${key._id} of one is listed`);
    const all = keys.map((key) => key._id);
    for (const caller of [...walled, naming]) await checkGlobalKeyIsHidden(scene, caller, { id, all });
    const revoke = withTextAt(asking('DELETE /v1/api-keys/{id}'), { in: 'path', path: 'id' }, id);
    const revoked = await sendAndCheck(pair, account, { caller: homeless, asking: revoke });
    if (revoked.status !== 200 || revoked.body.revoked_at === null)
      account.faults.push(`a global key is not revoked: ${revoked.text}`);
  }
  for (const caller of walled) {
    const refused = await sendAndCheck(pair, account, { caller, asking: create });
    if (refused.status !== 403) account.faults.push(`${caller.name} makes a global key: ${refused.text}`);
  }
}

/** Checks that a caller does not find a global key in any list, by any cursor or in the audit, and cannot revoke it. */
async function checkGlobalKeyIsHidden(
  scene: GlobalsScene,
  caller: Caller,
  { id, all }: { id: string; all: string[] },
): Promise<void> {
  const { pair, account, asking } = scene;
  const put = (name: string, change: (asking: MatrixRequest) => MatrixRequest) =>
    sendAndCheck(pair, account, { caller, asking: change(asking(name)) });
  const list = await put('GET /v1/api-keys', (one) => ({ ...one, query: { limit: '100' } }));
  for (const one of all)
    if (list.text.includes(one)) account.faults.push(`${caller.name} is shown the global key ${one}`);
  const revoke = (key: string) =>
    put('DELETE /v1/api-keys/{id}', (one) => withTextAt(one, { in: 'path', path: 'id' }, key));
  same(scene, `${caller.name} revokes a global key`, await revoke(newId()), await revoke(id));
  const audit = (key: string) => put('GET /v1/audit', (one) => ({ ...one, query: { resource: key } }));
  same(scene, `${caller.name} reads of a global key`, await audit(newId()), await audit(id));
}

/** Checks that global keys can list and read every company, whichever company they name. */
async function checkCompaniesAreVisible(scene: GlobalsScene): Promise<void> {
  const { pair, account, asking, naming, homeless } = scene;
  const { own, other } = pair;
  for (const caller of [homeless, { ...naming, ...BY_RIGHT }]) {
    for (const side of [own, other]) {
      const query = { search: side.marker };
      const found = await sendAndCheck(pair, account, { caller, asking: { ...asking('GET /v1/companies'), query } });
      const ids = ((found.body?.result ?? []) as { _id: string }[]).map((company) => company._id);
      if (ids.join() !== side._id || found.body.meta.totalCount !== 1)
        account.faults.push(`a global key looks for ${side._id} and finds ${ids.join()}`);
      const read = withTextAt(asking('GET /v1/companies/{id}'), { in: 'path', path: 'id' }, side._id);
      const { status, text } = await sendAndCheck(pair, account, { caller, asking: read });
      if (status !== 200) account.faults.push(`a global key reads no company: ${text}`);
    }
    const unknown = withTextAt(asking('GET /v1/companies/{id}'), { in: 'path', path: 'id' }, newId());
    const { status } = await sendAndCheck(pair, account, { caller, asking: unknown });
    if (status !== 404) account.faults.push(`a company that does not exist answers ${status}`);
  }
}
