import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHeadless, rememberHeadless } from './headless.ts';

test('what a company has learned about a model changes nothing for another company', () => {
  const model = { baseUrl: 'https://models.example/v1', model: 'small' };
  rememberHeadless({ ...model, company: 'a' });
  assert.deepEqual([isHeadless({ ...model, company: 'a' }), isHeadless({ ...model, company: 'b' })], [true, false]);
});
