/** The installation's own secrets: from the environment, else made once and kept in the data folder, readable by its owner only. */
import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dataPath, type Config } from '../config.ts';

export interface InstallationSecrets {
  encryptionKey: string;
  jwtSecret: string;
  /** For the sandbox, while no real network is configured. */
  appSecret: string;
  verifyToken: string;
}

const fresh = (): string => randomBytes(32).toString('base64url');

export async function loadSecrets(config: Config): Promise<InstallationSecrets> {
  const path = dataPath(config, 'secrets.json');
  const stored = await readStored(path);
  const made: InstallationSecrets = {
    encryptionKey: fresh(),
    jwtSecret: fresh(),
    appSecret: fresh(),
    verifyToken: fresh(),
    ...stored,
  };
  if (
    Object.keys(made).some((name) => !Object.hasOwn(stored ?? {}, name)) &&
    !(await keep(path, made, stored === null))
  ) {
    return loadSecrets(config);
  }
  return {
    encryptionKey: config.ENCRYPTION_KEY ?? made.encryptionKey,
    jwtSecret: config.JWT_SECRET ?? made.jwtSecret,
    appSecret: config.WAP_APP_SECRET ?? made.appSecret,
    verifyToken: config.WAP_VERIFY_TOKEN ?? made.verifyToken,
  };
}

/** False when another process that starts at the same moment made the file first: its secrets count for both. */
async function keep(path: string, made: InstallationSecrets, isFirst: boolean): Promise<boolean> {
  const side = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(side, JSON.stringify(made, null, 2), { mode: 0o600 });
    // A process that dies here leaves the old file or the new one, never half of one.
    await (isFirst ? link(side, path) : rename(side, path));
    return true;
  } catch (error) {
    // Failure policy: whoever came second reads what is there; any other failure is the caller's.
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(side, { force: true });
  }
}

/** Null when there is no file yet. */
async function readStored(path: string): Promise<Partial<InstallationSecrets> | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Partial<InstallationSecrets>;
  } catch (error) {
    // Failure policy: no file is a first start. A file that can not be read must not be replaced: its key seals what is stored.
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw new Error(
      `${path} can not be read (${(error as Error).message}); restore it, or set ENCRYPTION_KEY and JWT_SECRET`,
      { cause: error },
    );
  }
}
