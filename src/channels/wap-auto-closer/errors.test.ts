import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureText, networkErrors, refusesCredentials, retryRule } from './errors.ts';

const UNKNOWN = failureText('nothing');

test('every error code that the network documents has a sentence other than the general one', () => {
  const codes = [
    0, 190, 3, 10, 200, 250, 299, 1, 2, 131000, 131016, 4, 17, 613, 80007, 33, 100, 368, 130497, 131031, 130429, 130472,
    131005, 131008, 131009, 131021, 131026, 131030, 131037, 131042, 131045, 133010, 131047, 131048, 131049, 131050,
    131051, 131052, 131053, 131056, 131057, 131062, 131063, 131064, 132000, 132001, 132005, 132007, 132008, 132012,
    132015, 132016, 132068, 132069, 133004, 133016, 135000,
  ];
  for (const code of codes) assert.notEqual(failureText(code), UNKNOWN, `code ${code}`);
});

test('an unknown error code has the general sentence, and a message is never sent again after it', () => {
  for (const code of [999_999, 300, -1, 'PROVIDER_REJECTED', '']) {
    assert.equal(failureText(code), UNKNOWN);
    assert.equal(retryRule(code), 'no');
  }
});

test('an error code has the same sentence as a number and as text', () => {
  assert.equal(failureText('131047'), failureText(131047));
  assert.match(failureText(131047), /24 horas/);
});

test('a message is sent again at once only after error codes for faults that soon pass', () => {
  const codes = [
    0, 1, 2, 4, 190, 368, 130429, 131000, 131016, 131026, 131047, 131048, 131049, 131056, 131057, 132001, 133004,
  ];
  const now = codes.filter((code) => retryRule(code) === 'now');
  assert.deepEqual(now, [1, 2, 130429, 131000, 131016, 131057, 133004]);
  assert.equal(retryRule(131056), 'pair');
});

test('error code 613 has a sentence that no other rate limit has', () => {
  const texts = [4, 17, 80007, 130429, 131048].map(failureText);
  assert.ok(!texts.includes(failureText(613)));
});

test('only error codes about the token count as a refusal of the credentials', () => {
  const codes = [0, 190, '190', 1, 3, 10, 104, 200, 613, 131005, 131026, 'PROVIDER_REJECTED'];
  assert.deepEqual(codes.filter(refusesCredentials), [0, 190, '190']);
});

test("the title of a network error is never the class name of the network's exception", () => {
  const readTitle = (error: object): unknown =>
    networkErrors([{ code: 1, type: 'OAuthException', ...error }])[0]?.title;
  assert.equal(readTitle({}), '');
  assert.equal(readTitle({ message: '(#131030) Not allowed' }), 'Not allowed');
  assert.equal(readTitle({ message: 'Error validating access token' }), '');
  assert.equal(readTitle({ message: '(#1) x', error_user_title: 'Title' }), 'Title');
});

test("network errors are read in the network's new format, in its old format, and without any format", () => {
  const errors = [
    { code: 131026, title: 'T', message: 'M', error_data: { details: 'D' } },
    { code: '131052', title: 'T', details: 'D' },
    { code: 1, message: 'M', error_data: 'D' },
    null,
    'words',
    {},
  ];
  assert.deepEqual(networkErrors(errors), [
    { code: 131026, title: 'T', message: 'M', details: 'D' },
    { code: 131052, title: 'T', message: '', details: 'D' },
    { code: 1, title: '', message: 'M', details: 'D' },
    { code: 'PROVIDER_REJECTED', title: '', message: 'words', details: '' },
    { code: 'PROVIDER_REJECTED', title: '', message: '', details: '' },
  ]);
  for (const nothing of [undefined, null, {}, 'x', 7]) assert.deepEqual(networkErrors(nothing), []);
});
