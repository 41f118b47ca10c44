/**
 * The command `npm run keys`: an operator with access to the server creates, lists and revokes keys, whether the platform runs or not, even
 * when no key is left.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { dataPath, type StartConfig } from '../config.ts';
import { createKey, listKeysForOperator, revokeKeyForOperator } from '../features/api-keys/api-keys.ts';
import { listInstallationEntries } from '../features/audit/audit.ts';
import { companyIsKnown } from '../features/companies/companies.ts';
import { recordAudit } from '../platform/http/audit.ts';
import { agreeOnEncryptionKey, agreeOnTokenSecret } from '../platform/store/installation.ts';
import { GRANTABLE } from '../platform/values/scopes.ts';
import type { Database, SystemTx } from '../platform/store/tenant.ts';
import { explainStartError } from './explain.ts';
import { withOperatorsDatabase } from './operators-database.ts';
import { loadSecrets } from './secrets-file.ts';

const USAGE = `usage:
  npm run keys -- create --name NAME (--company ID | --global) [--scopes a:read,b:*] [--expires 2027-01-31T00:00:00Z] [--short]
  npm run keys -- list (--company ID | --global)
  npm run keys -- revoke ID (--company ID | --global)
  npm run keys -- audit --global`;

interface KeyCommand {
  command: string;
  id: string | undefined;
  /** The company that owns the key; null for global keys. */
  company: string | null;
  name: string;
  scopes: string[];
  expiresAt: string | null;
  isShort: boolean;
}

/** Runs the command and returns its output. Throws an error with one sentence, or with the usage text. */
export async function runKeys(config: StartConfig, given: string[]): Promise<string> {
  const words = parseCommand(given);
  try {
    return await withOperatorsDatabase(config, {}, (database) => runCommand(config, database, words));
  } catch (error) {
    throw new Error(explainStartError(error, config), { cause: error });
  }
}

function parseCommand(given: string[]): KeyCommand {
  const { values, positionals } = splitArguments(given);
  const [command = '', id, ...surplus] = positionals;
  const isCommandComplete =
    command === 'create'
      ? values.name.trim() !== ''
      : command === 'list' || command === 'revoke' || (command === 'audit' && values.global);
  const hasOneOwner = (values.company === undefined) === values.global;
  const hasExpectedArguments = (id !== undefined) === (command === 'revoke') && surplus.length === 0;
  if (!isCommandComplete || !hasOneOwner || !hasExpectedArguments) throw new Error(USAGE);
  const scopes = values.scopes.split(',').map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !GRANTABLE.includes(scope));
  if (unknown !== undefined) throw new Error(`no such scope: ${unknown}; there are ${GRANTABLE.join(', ')}`);
  const expires = values.expires === undefined ? null : new Date(values.expires);
  if (expires && !(expires.getTime() > Date.now())) throw new Error('--expires is no moment in the future');
  const expiresAt = expires?.toISOString() ?? null;
  const { company = null, name, short: isShort } = values;
  return { command, id, company, name, scopes, expiresAt, isShort };
}

function splitArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: 'string', default: '' },
        company: { type: 'string' },
        global: { type: 'boolean', default: false },
        scopes: { type: 'string', default: '*' },
        expires: { type: 'string' },
        short: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    // Failure policy: for any fault of the arguments, the usage text helps most.
    throw new Error(USAGE, { cause: error });
  }
}

/** Finds the secret that signs tokens. Never creates one, because the platform would refuse a token that is signed with another secret. */
async function findTokenSecret(config: StartConfig, database: Database): Promise<string> {
  const current = config.JWT_SECRET ?? (await readTokenSecret(config, database));
  await database.systemTx('upkeep', (tx) => agreeOnTokenSecret(tx, { current, previous: config.JWT_SECRET_PREVIOUS }));
  return current;
}

async function readTokenSecret(config: StartConfig, database: Database): Promise<string> {
  if (!existsSync(dataPath(config, 'secrets.json'))) {
    throw new Error(`${config.DATA_DIR} has no secrets.json: set DATA_DIR or JWT_SECRET as the platform has it`);
  }
  const { encryptionKey, jwtSecret } = await loadSecrets(config);
  // The secrets file may belong to another installation, whose encryption key differs from that of the database.
  await agreeOnEncryptionKey(database.system('upkeep'), encryptionKey);
  return jwtSecret;
}

async function runCommand(config: StartConfig, database: Database, words: KeyCommand): Promise<string> {
  const { company } = words;
  if (company !== null && !(await companyIsKnown(database.system('upkeep'), company)))
    throw new Error(`no company ${company}`);
  if (words.command === 'list') {
    const keys = await listKeysForOperator(database.system('upkeep'), company);
    return keys.map((key) => `${JSON.stringify(key)}\n`).join('');
  }
  if (words.command === 'audit') {
    const lines = await listInstallationEntries(database.system('upkeep'));
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
  if (words.command === 'revoke') {
    return database.systemTx('upkeep', async (tx) => {
      const key = await revokeKeyForOperator(tx, company, words.id ?? '');
      if (!key) throw new Error(`no key ${words.id}`);
      await recordKeyAudit(tx, company, 'api-keys.delete', key._id);
      return `${JSON.stringify(key)}\n`;
    });
  }
  const secret = await findTokenSecret(config, database);
  return database.systemTx('upkeep', async (tx) => {
    const { name, scopes, expiresAt, isShort } = words;
    const format = isShort ? 'SHORT' : 'JWT';
    const key = await createKey(tx, secret, { company, name, scopes, expires_at: expiresAt, format });
    await recordKeyAudit(tx, company, 'api-keys.create', key._id);
    // Only the token is printed, so that a script can use the output as it is.
    return `${key.token}\n`;
  });
}

function recordKeyAudit(tx: SystemTx, company: string | null, action: string, resourceId: string): Promise<void> {
  const actor = { type: 'SYSTEM', _id: null, name: 'npm run keys' } as const;
  return recordAudit(tx, { company, actor, action, resource: 'api-keys', resourceId, fields: [], origin: null });
}
