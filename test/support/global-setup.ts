/** Starts one PostgreSQL server for each run of the test runner, with one migrated template, which each test file clones. */
import { openTestServer, type TestServer } from './database.ts';

let server: TestServer | undefined;

export async function globalSetup(): Promise<void> {
  server = await openTestServer({ durable: false });
  process.env['PARLEY_TEST_SERVER'] = JSON.stringify(server.address);
}

export async function globalTeardown(): Promise<void> {
  await server?.close();
}
