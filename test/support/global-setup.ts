/**
 * Starts one PostgreSQL server for each run of the test runner, with one migrated template, which each test file clones. Builds the apps
 * once, so that no process that a test starts builds them.
 */
import { shipWebApps } from '../../src/platform/http/web-builds.ts';
import { openTestServer, type TestServer } from './database.ts';

let server: TestServer | undefined;

export async function globalSetup(): Promise<void> {
  [server] = await Promise.all([openTestServer({ durable: false }), shipWebApps()]);
  process.env['PARLEY_TEST_SERVER'] = JSON.stringify(server.address);
}

export async function globalTeardown(): Promise<void> {
  await server?.close();
}
