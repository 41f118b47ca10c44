/**
 * Starts the processes next to the platform: the embedded database and the sandbox. They take as long to start as the code of the
 * platform takes to load, so they are started before that code is loaded. This file must therefore import nothing that loads slowly.
 */
import { dataPath, type StartConfig } from '../config.ts';
import { refuseIfRunning, startEmbeddedPostgres, type EmbeddedPostgres } from '../platform/store/embedded-postgres.ts';
import { makeFolder } from '../platform/store/make-folder.ts';
import { checkAddresses } from './addresses.ts';
import { startSandbox, type Sandbox } from './sandbox.ts';
import { loadSecrets, type InstallationSecrets } from './secrets-file.ts';

export type Purpose = 'all' | 'api' | 'worker';

export interface EarlyStart {
  secrets: InstallationSecrets;
  /** The embedded database server; null when the operator has a database. */
  embedded: EmbeddedPostgres | null;
  sandbox: Sandbox | null;
  /** Calls `log` for every line that the database server prints, beginning with the lines that it has printed before. */
  follow(log: (line: string) => void): void;
  stop(): Promise<void>;
}

/**
 * Starts the database server and the sandbox, as configured. When one of them fails, the other is stopped and an error with one sentence is
 * thrown.
 */
export async function startDatabaseAndSandbox(config: StartConfig, purpose: Purpose): Promise<EarlyStart> {
  if (!config.DATABASE_URL && (purpose === 'api' || purpose === 'worker'))
    throw new Error(`${purpose} shares its database with other processes: set DATABASE_URL, or use npm start`);
  const hasSandbox = config.sandboxOn && purpose === 'all';
  if (purpose !== 'worker')
    await checkAddresses(config, hasSandbox, () => {
      if (!config.DATABASE_URL) refuseIfRunning(dataPath(config, 'postgres'));
    });
  const secrets = await openDataFolder(config);
  const printed: string[] = [];
  let log = (line: string): unknown => printed.push(line);
  const starting = {
    embedded: config.DATABASE_URL
      ? Promise.resolve(null)
      : startEmbeddedPostgres(dataPath(config, 'postgres'), (line) => log(line)),
    sandbox: hasSandbox ? startSandbox(config, secrets) : Promise.resolve(null),
  };
  // Failure policy: a process that did not start need not be stopped; its error is thrown below, where the promise is awaited.
  const embeddedOrNone = starting.embedded.catch(() => null);
  const sandboxOrNone = starting.sandbox.catch(() => null);
  const stop = async (): Promise<void> => {
    await (await sandboxOrNone)?.stop();
    await (await embeddedOrNone)?.stop();
  };
  try {
    return {
      secrets,
      // The database is awaited first: when another Parley runs on this folder, that error also explains why the sandbox's port is taken.
      embedded: await starting.embedded,
      sandbox: await starting.sandbox,
      follow: (given) => {
        log = given;
        for (const line of printed.splice(0)) given(line);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes the data folder and reads its secrets, or makes them. */
async function openDataFolder(config: StartConfig): Promise<InstallationSecrets> {
  try {
    await makeFolder(dataPath(config), 0o700);
    return await loadSecrets(config);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Failure policy: explainStartError() knows the usual errors and those that are a sentence already. The others, such as ENOENT in /proc, say
    // nothing about the setting.
    if (code === undefined || EXPLAINED.has(code)) throw error;
    throw new Error(
      `DATA_DIR ${config.DATA_DIR} cannot be made or written (${message}); set DATA_DIR to another folder`,
      {
        cause: error,
      },
    );
  }
}

const EXPLAINED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC']);
