import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeSlug } from './words.ts';

test('a slug has small letters without accents, begins with a letter, and has at most 64 characters', () => {
  assert.equal(makeSlug('Número do Pedido (ERP)', 'table'), 'numero_do_pedido_erp');
  assert.equal(makeSlug('2ª via', 'table'), 'table_2a_via');
  assert.equal(makeSlug(`${'long '.repeat(20)}end`, 'table'), 'long_'.repeat(13).slice(0, 64));
  assert.equal(makeSlug('年齢', 'table'), null);
});
