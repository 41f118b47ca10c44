/** Calls to networks that requests wait for take turns, so that a gateway that does not answer is its company's problem only. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { connectInstance } from '../../../test/support/gateway.ts';
import { startPeer } from '../../../test/support/peers.ts';
import { startPlatform, type Answer } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';

const platform = await startPlatform();
const { call } = platform;
const TURNS = 8;

test('while eight calls of a company wait for its gateway, its next request is answered 503, and other companies are served', async (t) => {
  const held: Socket[] = [];
  let hangs = false;
  const gateway = await startPeer(t, (socket) => (hangs ? held.push(socket) : socket.destroy()));
  const partner_api_config = { base_url: gateway.url, api_key: 'partner-key-1234', instance_name: 'main' };
  const body = { channel: 'PARTNER_API', name: 'Shop', number: '+5585991239999', partner_api_config };
  const { _id } = (await call(201, 'POST', '/v1/inboxes', { body })).body;
  const other = await connectInstance(platform, { company: await platform.createCompany() });
  hangs = true;
  const check = (status: number, inbox: string, key: string): Promise<Answer> =>
    call(status, 'POST', `/v1/inboxes/${inbox}/check-numbers`, { key, body: { numbers: ['+5585991230001'] } });
  const checks = Array.from({ length: TURNS + 1 }, () => check(503, _id, platform.demo.key));
  const refused = await Promise.any(checks);
  expectProblem(refused, 'UNAVAILABLE');
  assert.equal(refused.headers.get('retry-after'), '1');
  const { body: served } = await check(200, other.inbox, other.key);
  assert.equal(served.result[0].exists, true);
  assert.equal(gateway.received.filter((request) => request.includes('whatsappNumbers')).length, TURNS);
  for (const socket of held) socket.destroy();
  const answers = await Promise.allSettled(checks);
  assert.equal(answers.filter((answer) => answer.status === 'fulfilled').length, 1);
});
