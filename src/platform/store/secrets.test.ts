import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isId, newId } from '../values/ids.ts';
import { hashPassword, verifyPassword } from '../http/passwords.ts';
import { allows, ROLE_SCOPES, USER_ROLES, type Scope } from '../values/scopes.ts';
import { createSecrets, isMaskedSecret, maskSecret, isSameSecret } from './secrets.ts';

describe('a sealed value', () => {
  const secrets = createSecrets('one key of the installation, long enough');
  const plain = 'EAAG-a-token-of-the-network';
  const sealed = secrets.seal(plain, 'company:inbox:token');

  test('an encrypted value can be decrypted with its context, and does not contain the plain text', () => {
    assert.equal(secrets.open(sealed, 'company:inbox:token'), plain);
    assert.ok(!sealed.includes(plain) && !Buffer.from(sealed.slice(3), 'base64').includes(plain));
    for (const text of ['', 'é ••••', '{"a":1}', 'x'.repeat(10_000)])
      assert.equal(secrets.open(secrets.seal(text, 'c'), 'c'), text);
  });

  test('equal secrets have different encrypted values', () => {
    assert.notEqual(secrets.seal(plain, 'c'), secrets.seal(plain, 'c'));
  });

  test('an encrypted value cannot be decrypted with another context or key, or after any byte was changed', () => {
    assert.throws(() => secrets.open(sealed, 'other:inbox:token'));
    assert.throws(() => createSecrets('another key of the installation').open(sealed, 'company:inbox:token'));
    const bytes = Buffer.from(sealed.slice(3), 'base64');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.throws(() => secrets.open(`v1:${changed.toString('base64')}`, 'company:inbox:token'), `byte ${index}`);
    }
    for (const text of ['', 'v1:', 'v2:AAAA', plain, `v1:${bytes.subarray(0, 20).toString('base64')}`]) {
      assert.throws(() => secrets.open(text, 'company:inbox:token'), text);
    }
  });
});

test('a mask shows the last four characters of a long secret and none of a short one', () => {
  assert.equal(maskSecret('EAAG-a-token-1234'), '••••1234');
  for (const short of ['', '1234', '12345678901']) assert.equal(maskSecret(short), '••••');
  assert.deepEqual(['••••', '••••1234', 'EAAG', ''].map(isMaskedSecret), [true, true, false, false]);
});

test('sameText is true for identical texts only, and always false without an expected text', () => {
  assert.equal(isSameSecret('a token', 'a token'), true);
  for (const [given, expected] of [
    ['a token', 'A token'],
    ['', 'a token'],
    ['a token ', 'a token'],
    [undefined, 'a token'],
    ['', ''],
    ['null', null],
    [undefined, null],
  ] as const) {
    assert.equal(isSameSecret(given, expected), false, `${given} ${expected}`);
  }
});

describe('a password', () => {
  test('a password is stored as an argon2id hash with its own salt, and only the same password matches', async () => {
    const [one, two] = [await hashPassword('correct horse'), await hashPassword('correct horse')];
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(one, two);
    assert.equal(await verifyPassword('correct horse', one), true);
    for (const wrong of ['', 'Correct horse', 'correct horse ', 'x'.repeat(10_000)]) {
      assert.equal(await verifyPassword(wrong, one), false);
    }
  });

  test('no password matches a stored text that is no hash', async () => {
    for (const stored of [
      '',
      'correct horse',
      '$2b$10$abc',
      '$argon2id$v=19$m=8,t=1,p=1$$',
      '$argon2i$v=19$m=8,t=1,p=1$YWJjZGVmZ2g$YWJj',
    ]) {
      assert.equal(await verifyPassword('correct horse', stored), false, stored);
    }
  });
});

describe('an id', () => {
  test('an id has 24 lower-case hex characters, begins with the second of its creation, and is unique', () => {
    const at = Date.UTC(2026, 10, 20);
    const ids = Array.from({ length: 10_000 }, () => newId(at));
    assert.ok(ids.every(isId));
    assert.ok(ids.every((id) => Number.parseInt(id.slice(0, 8), 16) * 1000 === at));
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(newId(at + 1000) > newId(at));
  });

  test('a text that is not exactly 24 lower-case hex characters is no id', () => {
    for (const text of ['', 'x', '0'.repeat(23), '0'.repeat(25), 'A'.repeat(24), `${'0'.repeat(24)}\n`]) {
      assert.equal(isId(text), false, text);
    }
  });
});

describe('scopes of keys and roles', () => {
  test('a scope is granted by itself, by the wildcard of its resource, or by the wildcard for all, and by nothing similar', () => {
    for (const granted of [['contacts:read'], ['contacts:*'], ['*'], ['inboxes:read', 'contacts:read']]) {
      assert.equal(allows(granted, 'contacts:read'), true, String(granted));
    }
    for (const granted of [
      [],
      ['contacts:create'],
      ['contacts'],
      ['*:read'],
      ['contact:*'],
      ['Contacts:*'],
      ['custom-fields:*'],
    ]) {
      assert.equal(allows(granted, 'contacts:read'), false, String(granted));
    }
  });

  test('a role never has a scope that the role above it does not have', () => {
    const resources =
      `webhooks inboxes attachments knowledge tables contacts businesses conversations pipelines messages campaigns
      campaign-enrollments agents custom-fields companies users api-keys audit`.split(/\s+/);
    const all = resources.flatMap((resource) =>
      ['create', 'read', 'update', 'delete'].map((action) => `${resource}:${action}` as Scope),
    );
    const held = USER_ROLES.map((role) => all.filter((scope) => allows(ROLE_SCOPES[role], scope)));
    const [owner = [], admin = [], operator = [], viewer = []] = held;
    assert.deepEqual(owner, all);
    assert.deepEqual(
      all.filter((scope) => !admin.includes(scope)),
      ['companies:create', 'companies:delete'],
    );
    assert.deepEqual(
      operator.filter((scope) => !admin.includes(scope)),
      [],
    );
    assert.deepEqual(
      viewer.filter((scope) => !scope.endsWith(':read') || !operator.includes(scope)),
      [],
    );
    assert.ok(!operator.some((scope) => /^(webhooks|api-keys|audit|inboxes:update|users:(?!read))/.test(scope)));
  });
});
