import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../values/errors.ts';
import { hashPassword, NOBODYS_HASH, verifyPassword } from './passwords.ts';

test('a password hash contains its cost, differs each time, and matches only its password', async () => {
  const [hash, again] = await Promise.all([hashPassword('ÄÖÜ 密码 🔑'), hashPassword('ÄÖÜ 密码 🔑')]);
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(hash, again);
  assert.ok(await verifyPassword('ÄÖÜ 密码 🔑', again));
  for (const wrong of ['', 'äöü 密码 🔑', 'ÄÖÜ 密码 🔑 ', 'ÄÖÜ 密码'])
    assert.equal(await verifyPassword(wrong, hash), false);
});

test('a hash with another cost is verified with that cost', async () => {
  // The hash of "password" with the salt "somesalt", made by the reference implementation.
  const stored = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  assert.ok(await verifyPassword('password', stored));
  assert.equal(await verifyPassword('passwore', stored), false);
});

test('a text that is no hash, and NOBODYS_HASH, match no password', async () => {
  const whole = await hashPassword('password');
  for (const stored of [
    '',
    'password',
    '$argon2id$',
    whole.replace('argon2id', 'argon2i'),
    whole.replace('v=19', 'v=16'),
    whole.replace('m=19456', 'm=1'),
    whole.replace('m=19456', 'm=99999999999'),
    whole.replace('t=2', 't=0'),
    whole.replace('p=1', `p=${'9'.repeat(400)}`),
    '$argon2id$v=19$m=8,t=1,p=1$YWJj$YWJjZGVmZ2g',
    '$argon2id$v=19$m=8,t=1,p=1$YWJjZGVmZ2g$YWJj',
    '$argon2id$v=19$m=8,t=1,p=1$YWJjZGVmZ2g$A',
  ]) {
    assert.equal(await verifyPassword('password', stored), false, stored);
  }
  for (const password of ['', 'password', 'A'.repeat(32)]) {
    assert.equal(await verifyPassword(password, NOBODYS_HASH), false);
  }
});

test('four passwords are hashed at once, 200 wait, further ones are refused with Retry-After, and all others are answered', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 220 }, () => verifyPassword('password', NOBODYS_HASH)),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
  assert.equal(refused.length, 220 - 204);
  for (const error of refused) {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.headers], ['UNAVAILABLE', { 'retry-after': '1' }]);
  }
  assert.equal(await verifyPassword('password', NOBODYS_HASH), false);
});
