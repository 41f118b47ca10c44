/** The metadata of OAuth behind a proxy that puts the platform below a prefix. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTools } from '../../../test/support/oauth.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { findPort } from '../../../test/support/ports.ts';

const port = await findPort();
const url = `http://127.0.0.1:${port}`;
const PUBLIC_URL = `${url}/parley`;
const platform = await startPlatform({ isOwn: true, env: { PUBLIC_URL, PORT: String(port) } });

test('with a prefix, the metadata is where the standards look for it, and names addresses below the prefix', async () => {
  const { challenge } = await listTools({ ...platform, url }, 'nothing');
  assert.ok(challenge?.includes(`"${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"`), String(challenge));
  const read = async (path: string): Promise<Json> => (await fetch(`${url}/.well-known/${path}`)).json();
  for (const end of ['', '/parley']) {
    const { resource, authorization_servers } = await read(`oauth-protected-resource${end}/mcp`);
    assert.deepEqual([resource, authorization_servers], [`${PUBLIC_URL}/mcp`, [PUBLIC_URL]]);
    const { issuer, token_endpoint } = await read(`oauth-authorization-server${end}`);
    assert.deepEqual([issuer, token_endpoint], [PUBLIC_URL, `${PUBLIC_URL}/oauth/token`]);
  }
});
