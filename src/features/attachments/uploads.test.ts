/** Who may use an attachment: whoever has uploaded it, and callers that may read all attachments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makePng } from '../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, demo } = platform;

const SCOPES = ['messages:create', 'messages:update', 'campaigns:create', 'agents:create', 'agents:update'];
const { token: key } = await platform.createKey(demo._id, [...SCOPES, 'attachments:create']);
const { token: reader } = await platform.createKey(demo._id, [...SCOPES, 'attachments:read']);
const { conversation } = await writeAsContact(platform);
const agent = { name: 'Ana', type: 'AI', knowledge_scope: 'LISTED', tools: [] };
const { _id: tried } = (await call(201, 'POST', '/v1/agents', { body: agent })).body;

const nameTemplate = (id: string, parameter: Json = { image: { id } }): Json => ({
  name: 'no_such_template',
  language: 'en',
  components: [{ type: 'header', parameters: [parameter] }],
});

/** Requests that name an attachment, with the status of their answer for a caller that may use it. No inbox has the template. */
const REQUESTS: [path: string, makeBody: (id: string) => Json, status: number][] = [
  ['/v1/messages/send-image', (attachment) => ({ conversationId: conversation._id, message: { attachment } }), 201],
  ['/v1/quick-replies', (attachment) => ({ title: 'Hi', shortcut: newId(), content: 'Hi', attachment }), 201],
  [
    '/v1/messages/send-template',
    (id) => ({ conversationId: conversation._id, message: { template: nameTemplate(id, { imageId: id }) } }),
    400,
  ],
  ['/v1/campaigns', (id) => ({ name: 'C', inbox: demo.inbox, steps: [{ template: nameTemplate(id) }] }), 400],
  [
    '/v1/agents',
    (id) => ({ ...agent, follow_ups: [{ delay_minutes: 60, content: 'Hi', template: nameTemplate(id) }] }),
    201,
  ],
  [`/v1/agents/${tried}/try`, (id) => ({ message: 'Hi', attachments: [id] }), 200],
];

for (const [path, makeBody, status] of REQUESTS)
  test(`POST ${path.replace(tried, '{id}')} takes only files that the caller has uploaded or may read`, async () => {
    const own = await uploadFile(platform, { data: makePng() }, key);
    const foreign = await uploadFile(platform, { data: makePng() });
    for (const id of [foreign._id, newId()]) {
      const refused = await call(403, 'POST', path, { key, body: makeBody(id) });
      expectProblem(refused, 'FORBIDDEN', 'authorization');
      assert.equal(refused.body.detail, 'The scope attachments:read is missing');
    }
    const answers = [
      await call(status, 'POST', path, { key, body: makeBody(own._id) }),
      await call(status, 'POST', path, { key: reader, body: makeBody(foreign._id) }),
    ];
    if (status === 400) for (const answer of answers) expectProblem(answer, 'VALIDATION_FAILED');
  });

test('a bulk send takes only files that the caller has uploaded or may read', async () => {
  const { _id: id } = await uploadFile(platform, { data: makePng() });
  const { components } = nameTemplate(id);
  const form = { inboxId: demo.inbox, templateName: 'x', languageCode: 'en', contacts: '[{"phone":"+5511988887777"}]' };
  const parts = { ...form, components: JSON.stringify(components) };
  expectProblem(await postForm(platform, [403, '/v1/messages/send-bulk-template'], parts, { key }), 'FORBIDDEN');
});
