import { test } from 'node:test';
import { proveRecipes } from '../full/proofs/recipes.ts';

test('the recipes for an endpoint, an event and a table apply to the current files, and the result has no type errors', async (t) => {
  t.diagnostic(JSON.stringify(await proveRecipes({ everything: false })));
});
