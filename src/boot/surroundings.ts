/**
 * What runs beside the platform, each as a process of its own: the embedded database and the sandbox. They take as long to start
 * as the platform's code takes to load, so they are begun before it is loaded; nothing heavy may be imported here.
 */
import { mkdir } from 'node:fs/promises';
import { dataPath, type Config } from '../config.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../platform/embedded-postgres.ts';
import { startSandbox, type Sandbox } from './sandbox.ts';
import { loadSecrets, type InstallationSecrets } from './secrets-file.ts';

export type Purpose = 'all' | 'api' | 'worker';

export interface Surroundings {
  secrets: InstallationSecrets;
  /** Null where the operator has a database. */
  embedded: EmbeddedPostgres | null;
  sandbox: Sandbox | null;
  /** Takes the lines that the database server prints; what it printed before is handed over at once. */
  follow(log: (line: string) => void): void;
  stop(): Promise<void>;
}

/** Throws one sentence, with nothing left running. */
export async function openSurroundings(config: Config, purpose: Purpose): Promise<Surroundings> {
  if (!config.DATABASE_URL && (purpose === 'api' || purpose === 'worker'))
    throw new Error(`${purpose} shares its database with other processes: set DATABASE_URL, or use npm start`);
  await mkdir(dataPath(config), { recursive: true, mode: 0o700 });
  const secrets = await loadSecrets(config);
  const printed: string[] = [];
  let log = (line: string): unknown => printed.push(line);
  const starting = {
    embedded: config.DATABASE_URL
      ? Promise.resolve(null)
      : startEmbeddedPostgres(dataPath(config, 'postgres'), (line) => log(line)),
    sandbox: config.sandboxOn && purpose === 'all' ? startSandbox(config, secrets) : Promise.resolve(null),
  };
  // Failure policy: what did not start need not be stopped; why it did not is told below.
  const embeddedOrNone = starting.embedded.catch(() => null);
  const sandboxOrNone = starting.sandbox.catch(() => null);
  const stop = async (): Promise<void> => {
    await (await sandboxOrNone)?.stop();
    await (await embeddedOrNone)?.stop();
  };
  try {
    return {
      secrets,
      // First: that another Parley runs here also explains why the sandbox's port is taken.
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
