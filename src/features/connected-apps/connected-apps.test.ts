/** Apps that users connect by OAuth: what is granted, to whom, and how it ends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  connectApp,
  grantApp,
  listTools,
  postOauth,
  REDIRECT_URI,
  refreshTokens,
  registerClient,
  startAttempt,
} from '../../../test/support/oauth.ts';
import {
  createPerson,
  forgetPassword,
  readMailToken,
  resetPassword,
  waitForMail,
} from '../../../test/support/people.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { signToken } from '../../platform/http/tokens.ts';
import { newId } from '../../platform/values/ids.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { MAX_UNUSED_CLIENTS } from './clients.ts';
import { purgeExpiredApps } from './upkeep.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
const owner = await createPerson(platform, demo._id, 'OWNER');

const listApps = async (key: string): Promise<string[]> =>
  (await call(200, 'GET', '/v1/connected-apps?limit=100', { key })).body.result.map(({ _id }: Json) => _id);
const expectGone = async (token: string): Promise<void> => assert.equal((await listTools(platform, token)).status, 401);
const expectInvalid = ({ status, body }: { status: number; body: Json }, error: string): void =>
  assert.deepEqual([status, body.error], [400, error]);

describe('how a client learns where to go', () => {
  test('an unauthorized request names the metadata of the resource, which leads to that of the server', async () => {
    const { status, challenge } = await listTools(platform, 'nothing');
    assert.equal(status, 401);
    const [, address = ''] = /^Bearer resource_metadata="(.*)"$/.exec(challenge ?? '') ?? [];
    const resource = (await (await fetch(address)).json()) as Json;
    assert.deepEqual([resource.resource, resource.authorization_servers], [`${platform.url}/mcp`, [platform.url]]);
    const server = (await (await fetch(`${platform.url}/.well-known/oauth-authorization-server`)).json()) as Json;
    assert.equal(server.issuer, platform.url);
    assert.deepEqual(server.code_challenge_methods_supported, ['S256']);
    assert.equal(server.authorization_response_iss_parameter_supported, true);
    assert.equal(server.client_id_metadata_document_supported, true);
    const page = await fetch(server.authorization_endpoint);
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.equal(page.headers.get('cross-origin-opener-policy'), 'unsafe-none');
  });

  test('a client registers with addresses of HTTPS or of its own computer and with no other', async () => {
    const { status, body } = await registerClient(platform, { client_name: 'Nice\u202e name', logo_uri: 'x' });
    assert.deepEqual([status, body.client_name, body.token_endpoint_auth_method], [201, 'Nice name', 'none']);
    for (const uri of ['http://localhost:7/a', 'http://127.0.0.1/', 'http://[::1]:80/x?y=1', 'https://a.example'])
      assert.equal((await registerClient(platform, { redirect_uris: [uri] })).status, 201, uri);
    const bad = [
      'http://a.example/',
      'javascript:alert(1)',
      'https://user@a.example/',
      'https://a.example/#part',
      'https://a.example\\@b.example/',
      'https://a.example/ x',
      'http://localhost.a.example/',
      `https://a.example/${'x'.repeat(500)}`,
      7,
    ];
    for (const uri of bad)
      expectInvalid(await registerClient(platform, { redirect_uris: [uri] }), 'invalid_redirect_uri');
    expectInvalid(await registerClient(platform, { redirect_uris: [] }), 'invalid_redirect_uri');
    expectInvalid(await registerClient(platform, { client_name: 7 }), 'invalid_client_metadata');
  });
});

describe('a connection', () => {
  test('a code is redeemed for tokens that work at the MCP server and nowhere else', async () => {
    const attempt = await startAttempt(platform, {});
    const { _id, form } = await grantApp(platform, owner, attempt);
    await expectGone(form['code'] ?? '');
    const { status, body } = await postOauth(platform, '/oauth/token', form);
    assert.deepEqual([status, body.token_type, body.expires_in], [200, 'Bearer', 3_600]);
    assert.equal(body.scope, 'read write send');
    assert.equal((await listTools(platform, body.access_token)).tools.length, 25);
    for (const token of [body.access_token, body.refresh_token, form['code']])
      await call(401, 'GET', '/v1/contacts', { key: token });
    await expectGone(body.refresh_token);
    const { body: listed } = await call(200, 'GET', '/v1/connected-apps', { key: owner.token });
    const app = listed.result.find((each: Json) => each._id === _id);
    assert.deepEqual([app.user, app.host, app.name], [owner._id, 'assistant.example', 'Assistant']);
    const stored = JSON.stringify(await database.sql('select connected_apps::text from connected_apps'));
    for (const token of [body.access_token, body.refresh_token, form['code']])
      assert.ok(!stored.includes(String(token).slice(-40)));
  });

  test('a code that is shown twice ends the connection, and the audit says so', async () => {
    const { _id, form, access, refresh, ...attempt } = await connectApp(platform, owner);
    assert.equal((await listTools(platform, access)).status, 200);
    expectInvalid(await postOauth(platform, '/oauth/token', form), 'invalid_grant');
    await expectGone(access);
    expectInvalid(await refreshTokens(platform, { ...attempt }, refresh), 'invalid_grant');
    const { body } = await call(200, 'GET', '/v1/audit?resource=connected-apps&limit=2');
    assert.deepEqual(
      body.result.map(({ action, actor, resource_id }: Json) => [action, actor.type, resource_id]),
      [
        ['connected-apps.delete', 'SYSTEM', _id],
        ['connected-apps.create', 'USER', _id],
      ],
    );
  });

  test('a code works only with its verifier, address, client and resource, and stays valid after a wrong attempt', async () => {
    const other = (await registerClient(platform)).body.client_id;
    const { form } = await grantApp(platform, owner, await startAttempt(platform, {}));
    const wrong: [Record<string, string>, string][] = [
      [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
      [{ code_verifier: '' }, 'invalid_grant'],
      [{ redirect_uri: `${REDIRECT_URI}/` }, 'invalid_grant'],
      [{ client_id: other }, 'invalid_grant'],
      [{ resource: `${platform.url}/v1` }, 'invalid_target'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ grant_type: 'refresh_token', refresh_token: form['code'] ?? '' }, 'invalid_grant'],
    ];
    for (const [changed, error] of wrong)
      expectInvalid(await postOauth(platform, '/oauth/token', { ...form, ...changed }), error);
    assert.equal((await postOauth(platform, '/oauth/token', form)).status, 200);
  });

  test('an expired code is refused', async () => {
    const { _id, form } = await grantApp(platform, owner, await startAttempt(platform, {}));
    await database.sql(`update connected_apps set expires_at = now() where _id = $1`, [_id]);
    expectInvalid(await postOauth(platform, '/oauth/token', form), 'invalid_grant');
  });

  test('a refresh token works once: each answer has a new one, and an old one ends the connection', async () => {
    const connection = await connectApp(platform, owner, { access: 'READ' });
    const renewed = await refreshTokens(platform, connection, connection.refresh);
    assert.deepEqual([renewed.status, renewed.body.scope], [200, 'read']);
    assert.equal((await listTools(platform, renewed.body.access_token)).status, 200);
    assert.equal((await listTools(platform, connection.access)).status, 200);
    expectInvalid(await refreshTokens(platform, connection, connection.refresh), 'invalid_grant');
    await expectGone(renewed.body.access_token);
    expectInvalid(await refreshTokens(platform, connection, renewed.body.refresh_token), 'invalid_grant');
  });

  test('of two refreshes with one token at the same moment at most one gets tokens, and none of them lasts', async () => {
    const connection = await connectApp(platform, owner);
    const both = await Promise.all([1, 2].map(() => refreshTokens(platform, connection, connection.refresh)));
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 400],
    );
    await expectGone(connection.access);
  });

  test('a client revokes its tokens, but not those of another client', async () => {
    const connection = await connectApp(platform, owner);
    const { clientId, access, refresh } = connection;
    const other = (await registerClient(platform)).body.client_id;
    const revoke = (token: string, client_id = clientId) => postOauth(platform, '/oauth/revoke', { token, client_id });
    assert.equal((await revoke(refresh, other)).status, 401);
    assert.equal((await listTools(platform, access)).status, 200);
    assert.equal((await revoke('unknown')).status, 200);
    assert.equal((await revoke(refresh)).status, 200);
    await expectGone(access);
    assert.equal((await revoke(refresh)).status, 200);
  });
});

describe('what a connection can do', () => {
  test('an app that may only read, or read and write, has no tool beyond that', async () => {
    const tools = async (access: string): Promise<string[]> =>
      (await listTools(platform, (await connectApp(platform, owner, { access })).access)).tools;
    const [read, write, send] = [await tools('READ'), await tools('WRITE'), await tools('SEND')];
    assert.ok(read.includes('get_conversation') && !read.includes('add_note') && !read.includes('prepare_message'));
    assert.ok(write.includes('add_note') && !write.includes('prepare_message') && !write.includes('send_message'));
    assert.ok(send.includes('send_message') && send.length === 25);
  });

  test('nobody grants more than they have, or more than the app has asked for', async () => {
    const viewer = await createPerson(platform, demo._id, 'VIEWER');
    const offered = async (key: string, scope: string | null): Promise<string[]> => {
      const { request } = await startAttempt(platform, { scope });
      return (await call(200, 'POST', '/v1/connected-apps/preview', { key, body: { request } })).body.app.access;
    };
    assert.deepEqual(await offered(viewer.token, null), ['READ']);
    assert.deepEqual(await offered(owner.token, null), ['READ', 'WRITE', 'SEND']);
    assert.deepEqual(await offered(owner.token, 'offline_access write'), ['READ', 'WRITE']);
    const { request } = await startAttempt(platform, { scope: 'read' });
    for (const { token: key } of [viewer, owner])
      expectProblem(
        await call(403, 'POST', '/v1/connected-apps', { key, body: { request, access: 'SEND' } }),
        'FORBIDDEN',
        'access',
      );
    expectProblem(
      await call(403, 'POST', '/v1/connected-apps', { body: { request, access: 'READ' } }),
      'FORBIDDEN',
      'authorization',
    );
  });

  test('an app loses what its user loses, and everything when the user is deactivated or sets a new password', async () => {
    const person = await createPerson(platform, demo._id, 'ADMIN');
    const { access } = await connectApp(platform, person);
    assert.equal((await listTools(platform, access)).tools.length, 25);
    await call(200, 'PATCH', `/v1/users/${person._id}`, { body: { role: 'VIEWER' } });
    const tools = await waitUntil('the lost tools', async () => {
      const listed = await listTools(platform, access);
      return listed.tools.includes('add_note') ? null : listed.tools;
    });
    assert.ok(tools.includes('get_contact'), tools.join(' '));
    await call(200, 'PATCH', `/v1/users/${person._id}`, { body: { status: 'INACTIVE' } });
    await waitUntil('the end', async () => (await listTools(platform, access)).status === 401);
    await call(200, 'PATCH', `/v1/users/${person._id}`, { body: { status: 'ACTIVE' } });
    await expectGone(access);

    const other = await createPerson(platform, demo._id, 'OPERATOR');
    const connection = await connectApp(platform, other);
    await forgetPassword(platform, other.email);
    const token = readMailToken(await waitForMail(platform, other.email));
    await resetPassword(platform, 200, token, 'another long password');
    await expectGone(connection.access);
    expectInvalid(await refreshTokens(platform, connection, connection.refresh), 'invalid_grant');
  });

  test('an app can do nothing while its user lacks the second factor that the company requires', async () => {
    const company = await platform.createCompany();
    const person = await createPerson(platform, company._id, 'ADMIN');
    const { access, refresh, ...attempt } = await connectApp(platform, person);
    const require = (isRequired: boolean): Promise<unknown> =>
      database.sql('update companies set second_factor_required = $2 where _id = $1', [company._id, isRequired]);
    const awaitStatus = (status: number): Promise<unknown> =>
      waitUntil(`the status ${status}`, async () => (await listTools(platform, access)).status === status);
    await awaitStatus(200);
    await require(true);
    await awaitStatus(403);
    const { body } = await refreshTokens(platform, attempt, refresh);
    assert.equal((await listTools(platform, body.access_token)).status, 403);
    await require(false);
    await waitUntil('the tools', async () => (await listTools(platform, body.access_token)).status === 200);
  });

  test('what an app changes is a change of its user, and the audit also names the protocol', async () => {
    const { access } = await connectApp(platform, owner, { access: 'WRITE' });
    const { body: contact } = await call(201, 'POST', '/v1/contacts', { body: { name: 'Ana' } });
    const answer = await fetch(`${platform.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${access}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'save_contact', arguments: { contact: contact._id, name: 'Ana Lima' } },
      }),
    });
    assert.match(await answer.text(), /Ana Lima/);
    const { body } = await call(200, 'GET', '/v1/audit?action=contacts.update&limit=1');
    const [{ actor, via, resource_id }] = body.result;
    assert.deepEqual([actor._id, via, resource_id], [owner._id, 'MCP', contact._id]);
  });
});

describe('the list of connected apps', () => {
  test('a user sees and revokes their own apps, an admin those of all, and the tokens are refused at once', async () => {
    const [ana, bia] = [
      await createPerson(platform, demo._id, 'OPERATOR'),
      await createPerson(platform, demo._id, 'OPERATOR'),
    ];
    const [first, second] = [await connectApp(platform, ana), await connectApp(platform, bia)];
    assert.deepEqual(await listApps(ana.token), [first._id]);
    const all = await listApps(owner.token);
    assert.ok(all.includes(first._id) && all.includes(second._id));
    const filtered = await call(200, 'GET', `/v1/connected-apps?user=${bia._id}`, { key: owner.token });
    assert.deepEqual(
      filtered.body.result.map(({ _id }: Json) => _id),
      [second._id],
    );
    for (const user of [bia._id, newId()])
      expectProblem(
        await call(400, 'GET', `/v1/connected-apps?user=${user}`, { key: ana.token }),
        'UNKNOWN_REFERENCE',
        'user',
      );
    await call(404, 'DELETE', `/v1/connected-apps/${second._id}`, { key: ana.token });
    assert.equal((await listTools(platform, second.access)).status, 200);
    await call(200, 'DELETE', `/v1/connected-apps/${second._id}`, { key: owner.token });
    await expectGone(second.access);
    await call(200, 'DELETE', `/v1/connected-apps/${first._id}`, { key: ana.token });
    await expectGone(first.access);
    assert.deepEqual(await listApps(ana.token), []);
    const { token: key } = await platform.createKey(demo._id, ['contacts:read']);
    expectProblem(await call(403, 'GET', '/v1/connected-apps', { key }), 'FORBIDDEN', 'authorization');
  });

  test('the list says when an app was last used', async () => {
    const { _id, access } = await connectApp(platform, owner);
    await listTools(platform, access);
    await waitUntil('the use', async () => {
      const { body } = await call(200, 'GET', '/v1/connected-apps?limit=100', { key: owner.token });
      return body.result.find((app: Json) => app._id === _id).last_used_at !== null;
    });
  });

  test('the app of another company is not found, and its id in a token of this one is refused', async () => {
    const other = await platform.createCompany();
    const stranger = await createPerson(platform, other._id, 'OWNER');
    const { _id } = await connectApp(platform, owner);
    const foreign = await connectApp(platform, stranger);
    assert.ok(!(await listApps(stranger.token)).includes(_id));
    await call(404, 'DELETE', `/v1/connected-apps/${_id}`, { key: stranger.token });
    const claims = { jti: newId(), type: 'app', use: 'ACCESS', exp: Math.floor(Date.now() / 1_000) + 60 };
    const sign = (company: string, app: string, user: string) =>
      signToken(platform.running.kit.tokenSecret, user, { ...claims, company, app }, `${platform.url}/mcp`);
    assert.equal((await listTools(platform, await sign(other._id, foreign._id, stranger._id))).status, 200);
    await expectGone(await sign(other._id, _id, stranger._id));
    await expectGone(await sign(demo._id, _id, stranger._id));
  });

  test('a token for another resource is refused', async () => {
    const { _id } = await connectApp(platform, owner);
    const claims = { jti: newId(), type: 'app', use: 'ACCESS', exp: Math.floor(Date.now() / 1_000) + 60 };
    const sign = (audience: string) =>
      signToken(platform.running.kit.tokenSecret, owner._id, { ...claims, company: demo._id, app: _id }, audience);
    assert.equal((await listTools(platform, await sign(`${platform.url}/mcp`))).status, 200);
    for (const audience of [platform.url, `${platform.url}/mcp/`, 'https://other.example/mcp'])
      await expectGone(await sign(audience));
  });

  test('a user connects at most fifty apps', async () => {
    const person = await createPerson(platform, demo._id, 'OPERATOR');
    await database.sql(
      `insert into connected_apps (company_id, _id, user_id, session_version, client_id, name, access, redirect_uri, challenge, expires_at)
        select company_id, new_id(), _id, session_version, 'x', 'x', 'READ', $2, 'x', now() + interval '1 day'
        from users, generate_series(1, 50) where _id = $1`,
      [person._id, REDIRECT_URI],
    );
    const { request } = await startAttempt(platform, {});
    const body = { request, access: 'READ' };
    expectProblem(
      await call(400, 'POST', '/v1/connected-apps', { key: person.token, body }),
      'VALIDATION_FAILED',
      'request',
    );
  });
});

describe('a request', () => {
  const ask = async (status: number, changed: Record<string, string | null>): Promise<Answer> => {
    const { request } = await startAttempt(platform, changed);
    return call(status, 'POST', '/v1/connected-apps/preview', { key: owner.token, body: { request } });
  };
  const preview = async (changed: Record<string, string | null>): Promise<Json> => (await ask(200, changed)).body;

  test('the answer to a wrong request goes back to its client, with state and issuer', async () => {
    const wrong: [Record<string, string | null>, string][] = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge: null }, 'invalid_request'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
      [{ scope: 'admin' }, 'invalid_scope'],
      [{ response_mode: 'form_post' }, 'invalid_request'],
    ];
    for (const [changed, error] of wrong) {
      const { app, redirect_to } = await preview(changed);
      const { origin, pathname, searchParams } = new URL(redirect_to);
      assert.equal(app, null);
      assert.equal(origin + pathname, REDIRECT_URI);
      assert.deepEqual(
        ['error', 'state', 'iss'].map((name) => searchParams.get(name)),
        [error, 'xyz', platform.url],
      );
      const { request } = await startAttempt(platform, changed);
      const body = { request, access: 'READ' };
      await call(400, 'POST', '/v1/connected-apps', { key: owner.token, body });
    }
    const denied = new URL((await preview({})).redirect_to).searchParams;
    assert.deepEqual([denied.get('error'), denied.get('state')], ['access_denied', 'xyz']);
  });

  test('nobody is sent to an address that the client has not registered', async () => {
    for (const uri of [`${REDIRECT_URI}/`, `${REDIRECT_URI}?x`, 'https://evil.example/callback', ''])
      expectProblem(await ask(400, { redirect_uri: uri }), 'VALIDATION_FAILED', 'request');
    for (const clientId of [newId(), 'x', ''])
      expectProblem(await ask(400, { clientId }), 'VALIDATION_FAILED', 'request');
    const { request } = await startAttempt(platform, {});
    const body = { request: `${request}&redirect_uri=https://evil.example/` };
    const twice = await call(400, 'POST', '/v1/connected-apps/preview', { key: owner.token, body });
    expectProblem(twice, 'VALIDATION_FAILED', 'request');
  });

  test('a program on the computer of the user listens on any port, and a server only on the registered one', async () => {
    const redirect_uris = ['http://127.0.0.1/done', 'http://localhost:1234/done', 'https://a.example/done'];
    const clientId = (await registerClient(platform, { redirect_uris })).body.client_id as string;
    for (const uri of ['http://127.0.0.1:5123/done', 'http://localhost:9/done', 'https://a.example/done'])
      assert.equal((await preview({ clientId, redirect_uri: uri })).app.host, new URL(uri).host);
    for (const uri of ['http://127.0.0.1:5123/other', 'http://[::1]:9/done', 'https://a.example:444/done'])
      await ask(400, { clientId, redirect_uri: uri });
  });
});

describe('what is left behind', () => {
  test('the daily job removes expired connections, and clients that nobody uses', async () => {
    const used = await connectApp(platform, owner);
    const ended = await connectApp(platform, owner);
    const fresh = (await registerClient(platform)).body.client_id;
    const stale = (await registerClient(platform)).body.client_id;
    const past = (days: number): string => `now() - interval '${days} days'`;
    await database.sql(`update connected_apps set expires_at = ${past(1)} where _id = $1`, [ended._id]);
    await database.sql(`update oauth_clients set used_at = ${past(33)} where _id = $1`, [ended.clientId]);
    await database.sql(`update oauth_clients set created_at = ${past(2)} where _id = $1`, [stale]);
    await purgeExpiredApps(platform.running.kit);
    const ids = async (table: string, given: string[]): Promise<string[]> =>
      (await database.sql(`select _id from ${table} where _id = any($1)`, [given])).map(({ _id }: Json) => _id);
    assert.deepEqual(await ids('connected_apps', [used._id, ended._id]), [used._id]);
    const clients = await ids('oauth_clients', [used.clientId, ended.clientId, fresh, stale]);
    assert.deepEqual(new Set(clients), new Set([used.clientId, fresh]));
  });

  test('registrations cannot fill the table: of the clients that nobody has connected the newest ten thousand stay', async () => {
    await database.sql(
      `insert into oauth_clients (_id, name, redirect_uris, created_at)
        select 'flood-' || n, 'x', '{}', now() - n * interval '1 second' from generate_series(1, $1::int + 5) n`,
      [MAX_UNUSED_CLIENTS],
    );
    const { clientId } = await startAttempt(platform, {});
    const [row] = await database.sql(
      `select count(*)::int as count, bool_or(_id = $1) as new, bool_or(_id = 'flood-1') as newest,
        bool_or(_id = 'flood-' || $2::int + 5) as oldest from oauth_clients where used_at is null`,
      [clientId, MAX_UNUSED_CLIENTS],
    );
    assert.deepEqual(row, { count: MAX_UNUSED_CLIENTS, new: true, newest: true, oldest: false });
  });
});
