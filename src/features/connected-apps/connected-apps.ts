/** The apps that users have connected by OAuth: a user grants one access on the consent page, and it acts for that user until it is revoked. */
import type { Kit } from '../../kit.ts';
import { admitAccount } from '../../platform/http/access.ts';
import { expectFound, forbidden, invalid, scopeMissing, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { allows, type Scope } from '../../platform/values/scopes.ts';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import { refuseUnknown } from '../../platform/store/unknown-references.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { expectUser } from '../users/expect-user.ts';
import { CODE_SECONDS, makeCode } from './grants.ts';
import { countApps, deleteApp, findApp, findUnknownFilters, insertApp, listApps } from './queries.ts';
import { readRequest } from './requests.ts';
import type {
  AppRequest,
  AppRequested,
  ConnectedApp,
  ConnectedAppCreate,
  ConnectedAppMade,
  ConnectedAppQuery,
} from './schemas.ts';

export { findLivingApp, storeAppUse } from './queries.ts';

const MAX_APPS = declareLimit(50, { topic: 'MCP', what: 'Connected apps per user', beyond: '400' });

const ONLY_USERS = 'Only users connect apps';

/** Says what a client asks for. Its document may have to be fetched, so users do this as seldom as they log in. */
export async function previewApp(kit: Kit, tenant: Tenant, { request }: AppRequest): Promise<AppRequested> {
  const user = expectUser(tenant, ONLY_USERS);
  await admitAccount(kit.access, `connected-apps:${user}`);
  const asked = await readRequest(kit, { ...tenant, scopes: tenant.principal.scopes }, request);
  if ('redirect_to' in asked) return { app: null, redirect_to: asked.redirect_to };
  const { clientId, name, redirectUri, access, answer } = asked;
  return {
    app: { client_id: clientId, name, host: new URL(redirectUri).host, access },
    redirect_to: answer({ error: 'access_denied', error_description: 'The user has denied the request' }),
  };
}

export async function connectApp(
  kit: Kit,
  tenant: Tenant,
  { request, access }: ConnectedAppCreate,
): Promise<ConnectedAppMade> {
  const user = expectUser(tenant, ONLY_USERS);
  await admitAccount(kit.access, `connected-apps:${user}`);
  const asked = await readRequest(kit, { ...tenant, scopes: tenant.principal.scopes }, request);
  if ('redirect_to' in asked) throw invalid('request', 'is wrong; the client has to ask again');
  const { clientId, name, redirectUri, challenge, answer } = asked;
  if (!asked.access.includes(access))
    throw forbidden('access', 'The app has not asked for this access, or you do not have it yourself');
  const app = await tenant.tx(async (tx) => {
    await lockLimit(tx, `connected-apps:${user}`);
    if ((await countApps(tx, user)) >= MAX_APPS)
      throw invalid('request', `is one too many: you have connected ${MAX_APPS} apps already`, 'LIMIT_REACHED');
    const input = { _id: newId(), user, client_id: clientId, name, access, redirectUri, challenge };
    const stored = expectFound(await insertApp(tx, { ...input, codeSeconds: CODE_SECONDS }));
    tx.created(stored._id);
    return stored;
  });
  return { ...app, redirect_to: answer({ code: await makeCode(kit, app) }) };
}

/** Answers a repeated request without the code, which is stored nowhere. */
export const readMadeApp = async (tenant: Tenant, id: string): Promise<ConnectedAppMade> => ({
  ...expectFound(await findApp(tenant.read, expectUser(tenant, ONLY_USERS), id)),
  redirect_to: null,
});

/** Returns the only user whose apps the caller may see or revoke; null for those of all users. A key without the scope has none. */
function chooseVisible({ principal }: Tenant, scope: Scope): string | null {
  if (allows(principal.scopes, scope)) return null;
  if (principal.type !== 'user') throw scopeMissing(scope);
  return principal.id;
}

export async function pageApps(tenant: Tenant, query: ConnectedAppQuery): Promise<Page<ConnectedApp>> {
  const visible = chooseVisible(tenant, 'api-keys:read');
  const { user = null } = query;
  // Another user is to someone who sees only their own apps as an unknown one.
  if (visible !== null && user !== null && user !== visible) throw unknownReference('user');
  refuseUnknown(await findUnknownFilters(tenant.read, user));
  return listApps(tenant.read, { visible, user }, pageWindow('connected-apps', query));
}

/** Revokes an app. This process refuses its tokens at once, every other process within a second. */
export async function removeApp(kit: Kit, tenant: Tenant, id: string): Promise<ConnectedApp> {
  const visible = chooseVisible(tenant, 'api-keys:delete');
  const app = await tenant.tx(async (tx) => expectFound(await deleteApp(tx, visible, id)));
  kit.access.auth.forget();
  return app;
}
