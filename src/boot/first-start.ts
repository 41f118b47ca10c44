/**
 * The first start on an empty database creates a company, its owner and two keys; with the sandbox also a demo inbox for each network that
 * it plays, a demo webhook, and an agent that answers in the inboxes.
 */
import { randomBytes } from 'node:crypto';
import { access, readFile, rename, writeFile } from 'node:fs/promises';
import type { ChannelName } from '../channels/registry.ts';
import { dataPath, type Config } from '../config.ts';
import { createKey } from '../features/api-keys/api-keys.ts';
import { createCompany, isEmptyInstallation } from '../features/companies/companies.ts';
import { createInbox, pageInboxes } from '../features/inboxes/inboxes.ts';
import { createLogInLink } from '../features/users/log-in-links.ts';
import { createUser } from '../features/users/users.ts';
import { findChatFor, moveSites } from '../features/web-chat/sites.ts';
import { createWebhook, changeReceiverOrigin } from '../features/webhooks/webhooks.ts';
import type { Kit } from '../kit.ts';
import { AppError, type ErrorCode } from '../platform/values/errors.ts';
import { EVENT_NAMES } from '../platform/store/events.ts';
import {
  findWantedDemo,
  storeSandboxOrigin,
  storeWantedDemo,
  type WantedDemo,
} from '../platform/store/installation.ts';
import { makeTenant } from '../platform/http/trail.ts';
import { createDemoAgent } from './demo-agent.ts';
import { storeDemoNetworks } from './demo-networks.ts';
import type { Sandbox } from './sandbox.ts';
import { declareLimit } from '../platform/values/limits.ts';

// The advisory lock of the first start. Creating the demo calls the network, so it may take longer than a transaction may stay idle.
const LOCK = 724_113_002;
const FIRST_KEY = 'First company key';
const OWNER_EMAIL = 'owner@parley.local';

interface Credentials {
  base_url: string;
  company_id: string;
  company_key: string;
  global_key: string;
  user: { email: string; password: string };
}

export interface FirstStart {
  jwtSecret: string;
  baseUrl: string;
  sandboxUrl: string | null;
  /**
   * The sandbox, when the demo is English and has an agent and an inbox at each network. Test platforms have only a phone and a shop, because
   * most tests answer by themselves, and connect what they need; they keep the language of new companies.
   */
  wholeDemo: Pick<Sandbox, 'url' | 'mail'> | null;
}

/**
 * Creates the first company. Returns false when the database already has a company; then only the demo is completed, in case an earlier
 * start was cut off before its end. When several processes start at once, one of them does all this, and the others wait for it.
 */
export async function prepareFirstStart(kit: Kit, start: FirstStart): Promise<boolean> {
  // This look needs no lock, so a later start does not depend on what other processes do.
  const system = kit.database.system('upkeep');
  const hasDemo = start.sandboxUrl === null || (await findWantedDemo(system)) === null;
  if (hasDemo && !(await isEmptyInstallation(system))) return false;
  return kit.database.exclusively(LOCK, async () => {
    const created = await createFirstRecords(kit, start);
    if (created)
      kit.log.info({ path: credentialsPath(kit) }, 'a first company was created; its credentials are in this file');
    if (start.sandboxUrl) await completeDemo(kit, start.sandboxUrl, start.wholeDemo);
    return created;
  });
}

/** Creates the first company, its owner and the first keys in one transaction. Returns false when there is a company already. */
function createFirstRecords(kit: Kit, start: FirstStart): Promise<boolean> {
  return kit.database.systemTx('upkeep', async (tx) => {
    if (!(await isEmptyInstallation(tx))) return false;
    const company = await createCompany(tx, {
      name: start.sandboxUrl ? 'Demo' : 'My company',
      ...(start.wholeDemo && { general_config: { language: 'en' } }),
    });
    const password = randomBytes(12).toString('base64url');
    await createUser(tx, { company: company._id, name: 'Owner', email: OWNER_EMAIL, role: 'OWNER', password });
    const companyKey = await createKey(tx, start.jwtSecret, {
      company: company._id,
      name: FIRST_KEY,
      scopes: ['*'],
    });
    const globalKey = await createKey(tx, start.jwtSecret, { company: null, name: 'First global key', scopes: ['*'] });
    // The credentials file is written before the commit. In the other order, a process that died between the two would
    // leave keys that no one can read, and no one could log in. A file without a commit is overwritten by the next start.
    await writeCredentials(kit, {
      base_url: start.baseUrl,
      company_id: company._id,
      company_key: companyKey.token,
      global_key: globalKey.token,
      user: { email: OWNER_EMAIL, password },
    });
    if (start.sandboxUrl) await storeWantedDemo(tx, { companyId: company._id, keyId: companyKey._id });
    return true;
  });
}

/**
 * Changes the URLs of webhooks that point to the old address of the sandbox, when the sandbox listens on another port than at the last
 * start.
 */
export async function moveSandboxWebhooks(kit: Kit, origin: string): Promise<void> {
  await kit.database.systemTx('upkeep', async (tx) => {
    const before = await storeSandboxOrigin(tx, origin);
    if (!before || before === origin) return;
    await changeReceiverOrigin(tx, before, origin);
    await moveSites(tx, before, origin);
  });
}

/** The setting of the sandbox by which its shop shows the chat that allows it. `platform` is an address that this machine's browser reaches. */
export async function describeDemoChat(kit: Kit, sandboxUrl: string, platform: string): Promise<object> {
  const inbox = await findChatFor(kit.database.system('upkeep'), new URL(sandboxUrl).origin);
  return { chat: inbox && { platform, inbox } };
}

/** The network account of the demo inbox, which exists in every new sandbox. */
export const DEMO_ACCOUNT = {
  phone_number_id: '100000000000001',
  waba_id: '200000000000001',
  business_id: '300000000000001',
  business_token: 'sandbox-token',
};

type InboxCreate = Parameters<typeof createInbox>[2];

/** The sandbox plays a shop whose page shows the web chat, and the network of a phone. */
const listDemoInboxes = (shopOrigin: string): InboxCreate[] => [
  {
    channel: 'WEB_V2',
    name: 'Demo shop',
    web_config: {
      allowed_origins: [shopOrigin],
      color: '#8a4b16',
      welcome_text: 'Olá! Como podemos ajudar?',
      quick_replies: ['Onde está o meu pedido?', 'Falar com uma pessoa'],
    },
  } as InboxCreate,
  {
    channel: 'WAP_AUTO_CLOSER',
    name: 'Sandbox phone',
    number: '+5511900000000',
    api_wap_config: DEMO_ACCOUNT,
  } as InboxCreate,
];

/**
 * Creates the records of the demo, each in its own transaction, unless an earlier start has created all of them. When a start dies before
 * the last one, the next start creates the missing ones.
 */
async function completeDemo(kit: Kit, sandboxUrl: string, whole: FirstStart['wholeDemo']): Promise<void> {
  const system = kit.database.system('upkeep');
  const demo = await findWantedDemo(system);
  if (!demo) return;
  await createDemo(kit, demo, { sandboxUrl, whole });
  await storeWantedDemo(system, null);
}

async function createDemo(
  kit: Kit,
  demo: WantedDemo,
  { sandboxUrl, whole }: { sandboxUrl: string; whole: FirstStart['wholeDemo'] },
): Promise<void> {
  const principal = {
    type: 'company',
    id: demo.keyId,
    companyId: demo.companyId,
    scopes: ['*'],
    name: FIRST_KEY,
    expiresAt: null,
  } as const;
  const tenant = makeTenant(kit.database, demo.companyId, principal);
  const more = whole ? { default_agent: await createDemoAgent(kit, tenant) } : {};
  // An earlier start that was cut off may have created an inbox already.
  const find = async (channel: ChannelName) => {
    const made = await pageInboxes(kit, tenant, { channel, page: 1, limit: 1, skipCount: true, sort: '-createdAt' });
    return made.result[0] ?? null;
  };
  // The newest inbox is the first in lists, so the phone is the last one that is made.
  if (whole) await storeDemoNetworks(kit, tenant, whole, { more, find });
  for (const inbox of listDemoInboxes(new URL(sandboxUrl).origin))
    if (!(await find(inbox.channel))) await createInbox(kit, tenant, { ...inbox, ...more });
  const webhook = { url: `${sandboxUrl}/receiver/demo`, events: [...EVENT_NAMES] };
  await ignoreExisting('WEBHOOK_EXISTS', () => createWebhook(kit, tenant, webhook));
}

async function ignoreExisting(code: ErrorCode, make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    // Failure policy: a record that exists already was created by a start that was cut off.
    if (!(error instanceof AppError && error.code === code)) throw error;
  }
}

const credentialsPath = (kit: Kit): string => dataPath(kit.config, 'credentials.json');

/** Writes the credentials to a side file and renames it, so that no one can read a half-written file. */
async function writeCredentials(kit: Kit, credentials: Credentials): Promise<void> {
  const path = credentialsPath(kit);
  await writeFile(`${path}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

export async function warnAboutCredentials(kit: Kit): Promise<void> {
  try {
    await access(credentialsPath(kit));
  } catch {
    // Failure policy: when the file does not exist, no warning is needed.
    return;
  }
  kit.log.warn(
    { path: credentialsPath(kit) },
    'the first credentials still lie in a file: keep them elsewhere and delete it',
  );
}

/** How long the printed link can be used. */
const LINK_SECONDS = declareLimit(600, {
  topic: 'Accounts',
  what: 'Link: first log-in after the installation',
  unit: 'seconds',
  beyond: 'log in with the password',
});

/**
 * Makes a link that logs the first owner in to the console. Returns null when others than this machine can reach the platform, also by a
 * proxy, when the file with the first credentials is gone, or when its owner can no longer log in.
 */
export async function makeFirstLink({ config, database }: Kit, url: string): Promise<string | null> {
  const credentials = config.loopback && !config.published ? await readCredentials(config) : null;
  if (!credentials) return null;
  const { company_id: company, user } = credentials;
  const owner = { company, email: user.email, seconds: LINK_SECONDS };
  const token = await database.systemTx('upkeep', (tx) => createLogInLink(tx, owner));
  // Browsers send the part behind the # to no server.
  return token && `${url}/console#link=${token}`;
}

async function readCredentials(config: Config): Promise<Credentials | null> {
  try {
    return JSON.parse(await readFile(dataPath(config, 'credentials.json'), 'utf8')) as Credentials;
  } catch {
    // Failure policy: whoever has removed the file logs in with a password.
    return null;
  }
}
