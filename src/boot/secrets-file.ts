/**
 * The secrets of the installation. They come from the environment, or are generated once and stored in a file of the data folder that only
 * its owner can read.
 */
import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dataPath, type StartConfig } from '../config.ts';

export interface InstallationSecrets {
  encryptionKey: string;
  jwtSecret: string;
  /** What the sandbox shows as the Cloud API: what the operator has set for the real one, if anything. */
  appSecret: string;
  verifyToken: string;
}

const makeSecret = (): string => randomBytes(32).toString('base64url');

export async function loadSecrets(config: StartConfig): Promise<InstallationSecrets> {
  const path = dataPath(config, 'secrets.json');
  const stored = await readStored(path);
  const made: InstallationSecrets = {
    encryptionKey: makeSecret(),
    jwtSecret: makeSecret(),
    appSecret: makeSecret(),
    verifyToken: makeSecret(),
    ...stored,
  };
  if (
    Object.keys(made).some((name) => !Object.hasOwn(stored ?? {}, name)) &&
    !(await storeSecrets(path, made, stored === null))
  ) {
    return loadSecrets(config);
  }
  return {
    encryptionKey: config.ENCRYPTION_KEY ?? made.encryptionKey,
    jwtSecret: config.JWT_SECRET ?? made.jwtSecret,
    appSecret: config.variables['WAP_APP_SECRET'] ?? made.appSecret,
    verifyToken: config.variables['WAP_VERIFY_TOKEN'] ?? made.verifyToken,
  };
}

/**
 * Stores the secrets. Returns false when another process that started at the same moment created the file first; then both processes use
 * the secrets of that file.
 */
async function storeSecrets(path: string, made: InstallationSecrets, isFirst: boolean): Promise<boolean> {
  const side = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(side, JSON.stringify(made, null, 2), { mode: 0o600 });
    // Linking and renaming are atomic: a process that dies here leaves the old file or the new one, never half a file.
    await (isFirst ? link(side, path) : rename(side, path));
    return true;
  } catch (error) {
    // Failure policy: EEXIST means that another process created the file first; the caller then reads that file. Any other error is thrown.
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(side, { force: true });
  }
}

/** Reads the secrets file; null when there is none yet. */
async function readStored(path: string): Promise<Partial<InstallationSecrets> | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Partial<InstallationSecrets>;
  } catch (error) {
    // Failure policy: a missing file means a first start. A file that cannot be read is never replaced, because the stored data is
    // encrypted with its key.
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw new Error(
      `${path} cannot be read (${(error as Error).message}); restore it, or set ENCRYPTION_KEY and JWT_SECRET`,
      { cause: error },
    );
  }
}
