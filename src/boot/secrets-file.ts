/** The installation's own secrets: from the environment, else made once and kept in the data folder, readable by its owner only. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
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
  if (Object.keys(made).some((name) => !(name in stored))) {
    // By rename: a process that dies here leaves the old file or the new one, never half of one.
    await writeFile(`${path}.new`, JSON.stringify(made, null, 2), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
  return {
    encryptionKey: config.ENCRYPTION_KEY ?? made.encryptionKey,
    jwtSecret: config.JWT_SECRET ?? made.jwtSecret,
    appSecret: config.WAP_APP_SECRET ?? made.appSecret,
    verifyToken: config.WAP_VERIFY_TOKEN ?? made.verifyToken,
  };
}

async function readStored(path: string): Promise<Partial<InstallationSecrets>> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Partial<InstallationSecrets>;
  } catch (error) {
    // Failure policy: no file is a first start. A file that can not be read must not be replaced: its key seals what is stored.
    if ((error as { code?: string }).code === 'ENOENT') return {};
    throw new Error(
      `${path} can not be read (${(error as Error).message}); restore it, or set ENCRYPTION_KEY and JWT_SECRET`,
      { cause: error },
    );
  }
}
