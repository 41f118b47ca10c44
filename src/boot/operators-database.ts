/** Opens the platform's database for a command of an operator, whether the platform runs or not. */
import { existsSync } from 'node:fs';
import { dataPath, type Config } from '../config.ts';
import { findRunningPostgres } from '../platform/store/embedded-postgres.ts';
import { createLog } from '../platform/work/telemetry.ts';
import type { Database } from '../platform/store/tenant.ts';
import { openDatabase, type DatabaseOptions } from '../platform/store/open-database.ts';
import { startDatabase } from './database.ts';

export async function withOperatorsDatabase<T>(
  config: Config,
  options: Pick<DatabaseOptions, 'statementMs'>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const store = await connectToDatabase(config);
  const database = openDatabase({ url: store.url, poolSize: 2, ...options });
  try {
    return await work(database);
  } finally {
    await database.close();
    await store.release();
  }
}

/**
 * Connects to the platform's database. A stopped embedded server is started for the command. An empty data folder is an error, so that a
 * wrong DATA_DIR never creates a new installation.
 */
async function connectToDatabase(config: Config): Promise<{ url: string; release(): Promise<void> }> {
  const log = Object.assign(createLog('silent'), {
    // The output of a command is for programs, so a warning goes where errors go. What an embedded server says comes as an object.
    warn: (said: unknown) => void (typeof said === 'string' && process.stderr.write(`parley: ${said}\n`)),
  });
  const folder = dataPath(config, 'postgres');
  const running = config.DATABASE_URL ? null : await findRunningPostgres(folder);
  if (running) return { url: running, release: async () => undefined };
  if (!config.DATABASE_URL && !existsSync(folder)) {
    throw new Error(`nothing is installed in ${config.DATA_DIR}: set DATA_DIR or DATABASE_URL as the platform has it`);
  }
  const store = await startDatabase(config, false, log);
  return { url: store.url, release: async () => store.embedded?.stop() };
}
