import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { readEvents, writeAsContact, listNetworkMessages } from '../../../test/support/traffic.ts';
import type { Actor } from '../../platform/values/actor.ts';
import { newId } from '../../platform/values/ids.ts';
import { actAs } from '../../platform/store/tenant.ts';
import { updateConversationById } from '../conversations/update.ts';
import { sendMessage } from './send.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const { kit } = platform.running;

const agent = { type: 'agent', id: newId(), name: 'Sales agent' } as const;
const campaign = { type: 'campaign', id: newId(), name: 'Spring' } as const;
const away = { type: 'away', id: demo.inbox, name: 'Shop' } as const;
const csat = { type: 'csat', id: demo.inbox, name: 'Shop' } as const;
const followup = { type: 'followup', id: newId(), name: 'Reminder' } as const;

async function sendAs(actor: Actor): Promise<{ message: Json; conversation: Json }> {
  const { conversation } = await writeAsContact(platform);
  const acting = actAs(kit.database, demo._id, actor);
  const message = await sendMessage(
    kit,
    acting,
    { conversation: conversation._id },
    {
      content: { contentType: 'TEXT', content: 'Hello' },
      attachment: null,
      replyTo: null,
    },
  );
  return { message, conversation };
}

describe('a job sends messages like a request, and the message names its author', () => {
  const authors = [
    { actor: agent, origin: 'AGENT', sender: agent.id, agent: agent.id, campaign: null },
    { actor: campaign, origin: 'CAMPAIGN', sender: null, agent: null, campaign: campaign.id },
    { actor: away, origin: 'AWAY', sender: null, agent: null, campaign: null },
    { actor: csat, origin: 'CSAT', sender: null, agent: null, campaign: null },
    { actor: followup, origin: 'FOLLOWUP', sender: null, agent: null, campaign: null },
  ];
  for (const { actor, ...expected } of authors) {
    test(actor.type, async () => {
      const { message } = await sendAs(actor);
      const { body } = await call(200, 'GET', `/v1/messages/${message['_id']}`);
      assert.equal(body.status, 'SENT');
      assert.equal(body.sender_type, 'AGENT');
      const { origin, sender, agent: shownAgent, campaign: shownCampaign } = body;
      assert.deepEqual({ origin, sender, agent: shownAgent, campaign: shownCampaign }, expected);
      assert.equal((await listNetworkMessages(platform, body._id)).length, 1);
      const events = await readEvents(platform, body._id);
      assert.deepEqual(
        events.map(({ event }) => event),
        ['MESSAGE_SENT'],
      );
    });
  }
});

test('the event of a step change by a campaign names the campaign', async () => {
  const { conversation } = await writeAsContact(platform);
  const steps = ['First', 'Second'].map((name) => ({ name }));
  const { body: pipeline } = await call(201, 'POST', '/v1/pipelines', { body: { name: 'Campaigns', steps } });
  const acting = actAs(kit.database, demo._id, campaign);
  await updateConversationById(kit, acting, conversation._id, { step: pipeline.steps[1]._id });
  const change = (await readEvents(platform, conversation._id)).find(
    ({ event }) => event === 'CONVERSATION_STEP_CHANGED',
  );
  const { origin, campaignId, userId } = change?.data ?? {};
  assert.deepEqual({ origin, campaignId, userId }, { origin: 'CAMPAIGN', campaignId: campaign.id, userId: null });
});

test('a message cannot be sent in the name of the platform itself', async () => {
  await assert.rejects(sendAs({ type: 'system', id: null, name: 'Parley' }), /sends no message/);
});
