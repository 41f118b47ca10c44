import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { dataPath, loadConfig, SETTINGS } from './config.ts';

test('without any environment variable every setting has its documented default, and the sandbox is on', () => {
  const config = loadConfig({});
  assert.deepEqual([config.HOST, config.PORT, config.DATA_DIR], ['127.0.0.1', 3000, './data']);
  assert.deepEqual([config.PUBLIC_URL, config.loopback, config.sandboxOn], ['http://127.0.0.1:3000', true, true]);
  assert.equal(config.WEBHOOK_MAX_AGE, 24 * 3_600_000);
  assert.deepEqual(
    [config.DELIVERY_RETENTION_DAYS, config.CALLBACK_RETENTION_DAYS, config.LOG_LEVEL],
    [14, 14, 'info'],
  );
  for (const name of ['DATABASE_URL', 'ENCRYPTION_KEY', 'JWT_SECRET', 'S3_ENDPOINT', 'SMTP_URL'] as const) {
    assert.equal(config[name], null, name);
  }
});

test('the sandbox is off by default with an external database, a real network, or a host that other machines can reach', () => {
  const isOn = (env: Record<string, string>): boolean => loadConfig(env).sandboxOn;
  assert.equal(isOn({ DATABASE_URL: 'postgres://a@b/c' }), false);
  assert.equal(isOn({ WAP_GRAPH_URL: 'https://graph.example' }), false);
  assert.equal(isOn({ HOST: '0.0.0.0' }), false);
  assert.equal(isOn({ SANDBOX: 'off' }), false);
  for (const HOST of ['localhost', '::1', '127.0.0.9']) assert.equal(isOn({ HOST }), true, HOST);
  assert.equal(isOn({ SANDBOX: 'on', DATABASE_URL: 'postgres://a@b/c' }), true);
});

test('an invalid setting is refused with one sentence that begins with the name of the setting', () => {
  const nonsense: Record<string, string[]> = {
    HOST: ['256.1.1.1', '1.2.3', '[::1]', '127.0.0.1:3000', 'http://a', 'a b'],
    PORT: ['-1', '65536', '3000.5', '0x10', 'http', '1e3'],
    DATABASE_URL: ['mysql://a/b', 'localhost:5432', 'postgres'],
    PUBLIC_URL: ['ftp://a', 'parley.example'],
    SMTP_URL: ['mail.example'],
    ENCRYPTION_KEY: ['short'],
    JWT_SECRET: ['x'.repeat(31)],
    JWT_SECRET_PREVIOUS: ['short'],
    METRICS_TOKEN: ['short'],
    SANDBOX: ['yes', 'ON', '1'],
    S3_ENDPOINT: ['store.example', 'ftp://store.example'],
    EMBEDDINGS_BASE_URL: ['models.example', 'ws://models.example'],
    S3_BUCKET: ['a', 'Files', 'a/b', '-files'],
    WEBHOOK_MAX_AGE: ['24', '0h', '-1h', '1w', '1.5h', 'h'],
    DELIVERY_RETENTION_DAYS: ['0', 'two weeks'],
    CALLBACK_RETENTION_DAYS: ['0'],
    DATABASE_POOL: ['1', '201'],
    LOG_LEVEL: ['loud'],
  };
  for (const [name, values] of Object.entries(nonsense)) {
    for (const value of values) {
      assert.throws(
        () => loadConfig({ [name]: value }),
        (error: Error) => {
          assert.match(error.message, new RegExp(`^${name} must [^\\n]+$`));
          // The message of a refused secret must not contain the secret.
          assert.ok(!/KEY|SECRET|TOKEN/.test(name) || !error.message.includes(value));
          return true;
        },
      );
    }
  }
  assert.throws(
    () => loadConfig({ SANDBOX: 'on', HOST: '0.0.0.0' }),
    /^Error: SANDBOX is on, but HOST 0\.0\.0\.0 lets other machines in/,
  );
});

test('a pool larger than the embedded database can serve is refused, but is accepted with an external database', () => {
  assert.throws(
    () => loadConfig({ DATABASE_POOL: '31' }),
    /^Error: DATABASE_POOL must be at most 30 with the embedded database; for more set DATABASE_URL$/,
  );
  assert.equal(loadConfig({ DATABASE_POOL: '30' }).DATABASE_POOL, 30);
  assert.equal(loadConfig({ DATABASE_POOL: '31', DATABASE_URL: 'postgres://a@b/c' }).DATABASE_POOL, 31);
});

test('files are stored in a bucket when all of its settings are given, and an incomplete set is refused with the missing settings named', () => {
  const all = {
    S3_ENDPOINT: 'https://store.example/',
    S3_BUCKET: 'files',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'the secret',
  };
  const expected = {
    endpoint: 'https://store.example',
    bucket: 'files',
    addressing: 'path',
    accessKeyId: 'id',
    secretAccessKey: 'the secret',
  };
  assert.deepEqual(loadConfig(all).s3, { ...expected, region: 'us-east-1' });
  assert.equal(loadConfig({ ...all, S3_REGION: 'sa-east-1' }).s3?.region, 'sa-east-1');
  assert.equal(loadConfig({ S3_REGION: 'sa-east-1' }).s3, null);
  for (const name of Object.keys(all)) {
    assert.throws(
      () => loadConfig({ ...all, [name]: '' }),
      ({ message }: Error) => message.startsWith(`${name} must be set: `) && !message.includes('the secret'),
    );
  }
});

test('vectors come from an endpoint when its address and its model are given, and one without the other is refused', () => {
  const both = { EMBEDDINGS_BASE_URL: 'https://models.example/v1/', EMBEDDINGS_MODEL: 'm' };
  const expected = { baseUrl: 'https://models.example/v1', model: 'm' };
  assert.deepEqual(loadConfig(both).embeddings, { ...expected, apiKey: null });
  assert.deepEqual(loadConfig({ ...both, EMBEDDINGS_API_KEY: 'k' }).embeddings, { ...expected, apiKey: 'k' });
  assert.equal(loadConfig({ EMBEDDINGS_API_KEY: 'k' }).embeddings, null);
  for (const name of Object.keys(both))
    assert.throws(() => loadConfig({ ...both, [name]: '' }), new RegExp(`^Error: ${name} must be set: `));
});

test('an empty environment variable counts as absent, and spaces around a value are ignored', () => {
  const empty = loadConfig(Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, ' '])));
  assert.deepEqual(empty, loadConfig({}));
  assert.equal(loadConfig({ PORT: ' 8080 ' }).PORT, 8080);
});

test('the public URL is PUBLIC_URL without its trailing slash, or else an address of this machine that the process listens on', () => {
  assert.equal(loadConfig({ PUBLIC_URL: 'https://parley.example/' }).PUBLIC_URL, 'https://parley.example');
  assert.equal(loadConfig({ HOST: '::1', PORT: '80' }).PUBLIC_URL, 'http://[::1]:80');
  for (const HOST of ['0.0.0.0', '::']) {
    const { hostname, port } = new URL(loadConfig({ HOST, PORT: '4000' }).PUBLIC_URL);
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address));
    assert.ok(own.includes(hostname) && port === '4000', `${hostname} can be called, and ${HOST} cannot`);
  }
});

test('durations may be given in seconds, minutes, hours or days, and lists are separated by commas', () => {
  for (const [text, expected] of [
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
  ] as const) {
    assert.equal(loadConfig({ WEBHOOK_MAX_AGE: text }).WEBHOOK_MAX_AGE, expected);
  }
  assert.throws(() => loadConfig({ STOP_WAIT: '61m' }), /STOP_WAIT.*at most 1h/s);
  assert.deepEqual(loadConfig({ OUTBOUND_ALLOW: '127.0.0.0/8, ::1/128,' }).OUTBOUND_ALLOW, ['127.0.0.0/8', '::1/128']);
});

test('the settings cannot be changed after they have been read', () => {
  const config = loadConfig({});
  assert.throws(() => Object.assign(config, { PORT: 1 }), TypeError);
  assert.equal(dataPath(config, 'files', 'a'), 'data/files/a');
});
