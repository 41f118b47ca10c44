import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadConfig, type StartConfig } from '../config.ts';
import { loadSecrets } from './secrets-file.ts';

async function makeConfig(t: TestContext, env: Record<string, string> = {}): Promise<StartConfig> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-secrets-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return loadConfig({ DATA_DIR: folder, ...env });
}

test('processes that start at once on an empty data folder share one set of secrets and leave only the file secrets.json', async (t) => {
  const config = await makeConfig(t);
  const all = await Promise.all(Array.from({ length: 20 }, () => loadSecrets(config)));
  for (const secrets of all) assert.deepEqual(secrets, all[0]);
  assert.equal(new Set(Object.values(all[0] ?? {})).size, 4, 'each is one of its own');
  assert.deepEqual(await readdir(config.DATA_DIR), ['secrets.json']);
  if (process.platform !== 'win32')
    assert.equal((await stat(join(config.DATA_DIR, 'secrets.json'))).mode & 0o777, 0o600);
});

test('a later start reuses the secrets in secrets.json and adds those that the file does not have yet', async (t) => {
  const config = await makeConfig(t);
  const path = join(config.DATA_DIR, 'secrets.json');
  for (const stored of [{}, { encryptionKey: 'kept as it is' }]) {
    await writeFile(path, JSON.stringify(stored));
    const secrets = await loadSecrets(config);
    assert.deepEqual({ ...secrets, ...stored }, secrets);
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), secrets);
    assert.deepEqual(await loadSecrets(config), secrets);
  }
});

test('secrets from the environment are used instead of those in secrets.json, and the file keeps its own secrets', async (t) => {
  const ENCRYPTION_KEY = 'an encryption key of the environment';
  const config = await makeConfig(t, { ENCRYPTION_KEY, WAP_APP_SECRET: 'of the network' });
  const secrets = await loadSecrets(config);
  assert.deepEqual([secrets.encryptionKey, secrets.appSecret], [ENCRYPTION_KEY, 'of the network']);
  const without = await loadSecrets({ ...config, ENCRYPTION_KEY: null });
  assert.notEqual(without.encryptionKey, ENCRYPTION_KEY);
  assert.equal(without.jwtSecret, secrets.jwtSecret);
});
