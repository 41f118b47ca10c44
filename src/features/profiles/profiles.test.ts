import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makePng } from '../../../test/support/media-samples.ts';
import { createPerson } from '../../../test/support/people.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { postForm } from '../../../test/support/sheets.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const PATH = '/v1/auth/me';
const viewer = await createPerson(platform, demo._id, 'VIEWER');

test('users of any role change their own name, picture and signature and nothing else, and the audit names the user', async () => {
  const { _id: picture, external_url } = await uploadFile(platform, { data: makePng(64, 64) });
  const { body: user } = await call(200, 'PATCH', PATH, { key: viewer.token, body: { name: 'Bia Reis', picture } });
  assert.deepEqual([user._id, user.name, user.avatar_url, user.role], [viewer._id, 'Bia Reis', external_url, 'VIEWER']);
  assert.deepEqual((await call(200, 'GET', PATH, { key: viewer.token })).body.user, user);
  const { body: audit } = await call(200, 'GET', `/v1/audit?resource=users&action=users.update&limit=1`);
  assert.deepEqual([audit.result[0].resource_id, audit.result[0].actor._id], [viewer._id, viewer._id]);
  const removed = await call(200, 'PATCH', PATH, { key: viewer.token, body: { picture: null } });
  assert.deepEqual([removed.body.name, removed.body.avatar_url], ['Bia Reis', null]);
  const signed = await call(200, 'PATCH', PATH, { key: viewer.token, body: { signature: 'Bia, at the shop' } });
  assert.equal(signed.body.signature, 'Bia, at the shop');
  for (const body of [
    { role: 'OWNER' },
    { signature: ' ' },
    { email: 'x@example.test' },
    { avatar_url: 'https://a.example/b.png' },
  ])
    expectProblem(await call(400, 'PATCH', PATH, { key: viewer.token, body }), 'VALIDATION_FAILED');
});

test('a viewer uploads a picture without the right to upload files, and its file goes when another one takes its place', async () => {
  const put = async (status: number, data: Buffer | string, key = viewer.token): Promise<Json> => {
    const form = { file: { data, name: 'me.png' } };
    return (await postForm(platform, [status, `${PATH}/avatar`], form, { key, method: 'PUT' })).body;
  };
  const first = (await put(200, makePng(64, 64))).avatar_url;
  assert.equal((await fetch(first)).status, 200);
  const second = (await put(200, makePng(32, 32))).avatar_url;
  assert.deepEqual([(await fetch(first)).status, (await fetch(second)).status], [404, 200]);
  await call(200, 'PATCH', PATH, { key: viewer.token, body: { picture: null } });
  assert.equal((await fetch(second)).status, 404);
  await put(400, 'plain text');
  await put(413, Buffer.concat([makePng(64, 64), Buffer.alloc(1_000_000)]));
  await put(403, makePng(64, 64), demo.key);
});

test('a picture that a user shows cannot be removed, and one that another user uploads does not take it along', async () => {
  const { _id: picture } = await uploadFile(platform, { data: makePng(64, 64) });
  const remove = (status: number) => call(status, 'DELETE', `/v1/resource/attachments/${picture}`);
  const bia = await createPerson(platform, demo._id, 'OPERATOR');
  for (const { token: key } of [viewer, bia]) await call(200, 'PATCH', PATH, { key, body: { picture } });
  expectProblem(await remove(409), 'ATTACHMENT_IN_USE');
  await call(200, 'PATCH', PATH, { key: viewer.token, body: { picture: null } });
  expectProblem(await remove(409), 'ATTACHMENT_IN_USE');
  await call(200, 'DELETE', `/v1/users/${bia._id}`);
  await remove(200);
});

test('a picture has to be an image of the company with at most 1 MB, and a key has no profile', async () => {
  const give = (status: number, picture: string) =>
    call(status, 'PATCH', PATH, { key: viewer.token, body: { picture } });
  const text = await uploadFile(platform, { data: 'plain text', name: 'a.txt' });
  expectProblem(await give(400, text._id), 'VALIDATION_FAILED', 'picture');
  const large = await uploadFile(platform, {
    data: Buffer.concat([makePng(64, 64), Buffer.alloc(1_000_000)]),
  });
  expectProblem(await give(400, large._id), 'VALIDATION_FAILED', 'picture');
  const other = await platform.createCompany();
  const foreign = await uploadFile(platform, { data: makePng(64, 64) }, other.key);
  expectProblem(await give(400, foreign._id), 'UNKNOWN_REFERENCE', 'picture');
  expectProblem(await call(403, 'PATCH', PATH, { key: demo.key, body: { name: 'Key' } }), 'FORBIDDEN');
});
