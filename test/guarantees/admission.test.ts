import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RULES, type Caller } from '../../src/features/admission/admission.ts';
import { setHour } from '../support/daytime.ts';
import { connectPhone, makePhoneNumber, waitUntilCopied } from '../support/network.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { postForm } from '../support/sheets.ts';
import { silenceNetwork, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
await silenceNetwork(platform);
await setHour(platform, 12);
const create = async (path: string, body: Json): Promise<Json> => (await call(201, 'POST', path, { body })).body;
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;

const QUESTION = 'Vocês entregam bolo na cidade?';
const item = await create('/v1/knowledge/autcl', { name: 'Padaria', content: 'Entregamos bolos em toda a cidade.' });
await waitUntil('the item to be prepared', async () => (await read(`/v1/knowledge/${item._id}`)).status === 'READY');
const follow_ups = [{ delay_minutes: 10, content: 'Ainda está aí?' }];
const agent = await create('/v1/agents', { name: 'Ana', type: 'AI', follow_ups });
await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent._id } });
const TEMPLATE = { name: 'hello_world', language: 'pt_BR' };
await waitUntilCopied(platform, demo.inbox);
await database.sql(`update templates set category = 'MARKETING' where name = 'hello_world'`);

interface Person {
  contact: string;
  phone: string;
}

/** What makes a rule refuse a person, and what does not ask this rule although its kind of callers does. */
interface Scene {
  apply(person: Person): Promise<unknown>;
  undo?(): Promise<unknown>;
  makePhone?(): string;
  inbox?: string;
  writesToActive?: boolean;
  except?: string[];
}

const patch = ({ contact }: Person, body: Json) => call(200, 'PATCH', `/v1/contacts/${contact}`, { body });
const setTestMode = (test_mode: Json) => call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { test_mode } });
const removed = await connectPhone(platform);
await waitUntilCopied(platform, removed.inbox);

let americans = 10;

/** By the sentences of the rules. */
const SCENES: Record<string, Scene> = {
  'The inbox is deleted': {
    inbox: removed.inbox,
    apply: () => call(200, 'PUT', `/v1/inboxes/${removed.inbox}`, { body: { status: 'DELETED' } }),
    // The others have no conversation there.
    except: ['template', 'agent', 'follow-up'],
  },
  'The company has blocked the contact': { apply: (person) => patch(person, { blocked: true }) },
  'The contact has opted out': { apply: (person) => patch(person, { opted_out: true }) },
  'The network knows the contact neither by a number nor by an id': {
    apply: (person) => patch(person, { phone_number: null }),
  },
  'The inbox is in test mode and this contact is not a test number': {
    apply: () => setTestMode({ enabled: true, test_numbers: ['+55 11 95555-0000'] }),
    undo: () => setTestMode({ enabled: false, test_numbers: [] }),
  },
  'The contact has an open conversation in this inbox': {
    apply: ({ phone }) => writeAsContact(platform, { from: phone }),
    writesToActive: false,
  },
  'The network delivers no template of this category in the country of the contact': {
    apply: async () => undefined,
    makePhone: () => `120255501${(americans += 1)}`,
  },
  'The network did not deliver a message to the contact within the last day, and does not accept another one so soon': {
    apply: async ({ contact }) => {
      await create('/v1/messages/send-text', { inboxId: demo.inbox, contact, message: { content: 'Oi' } });
      await database.sql(
        `update messages set errors = '[{"code":131049}]', failed_at = now() where contact_id = $1 and status = 'FAILED'`,
        [contact],
      );
    },
  },
  'The contact has not written in the last 24 hours; send a template': {
    apply: ({ contact }) =>
      database.sql(`update conversations set window_expires_at = now() - interval '1 hour' where contact_id = $1`, [
        contact,
      ]),
    except: ['template'],
  },
};

const meet = async ({ makePhone = makePhoneNumber }: Scene): Promise<Person> => {
  const phone = makePhone();
  return { contact: (await create('/v1/contacts', { name: 'Ana', phone_number: `+${phone}` }))['_id'], phone };
};
const bulk = (dryRun: boolean) => async (scene: Scene) => {
  const person = await meet(scene);
  await scene.apply(person);
  const parts = { inboxId: scene.inbox ?? demo.inbox, templateName: TEMPLATE.name, languageCode: TEMPLATE.language };
  const active = String(scene.writesToActive ?? true);
  const form = { ...parts, contacts: JSON.stringify([{ phone: person.phone }]), send_to_active_conversations: active };
  const status = scene.inbox ? 400 : dryRun ? 200 : 201;
  const { body } = await postForm(platform, [status, '/v1/messages/send-bulk-template'], {
    ...form,
    dryRun: String(dryRun),
  });
  return body.errors[0]?.code;
};
const campaign = async (scene: Scene): Promise<Json> => {
  const person = await meet(scene);
  await scene.apply(person);
  return create('/v1/campaigns', {
    name: 'Spring',
    inbox: demo.inbox,
    audience: { contacts: [person.contact] },
    send_to_active_conversations: scene.writesToActive ?? true,
    steps: [{ template: TEMPLATE }],
  });
};
const single = (kind: 'text' | 'template', message: Json) => async (scene: Scene) => {
  const person = await meet(scene);
  const inboxId = scene.inbox ?? demo.inbox;
  const { conversation: conversationId } = await create('/v1/messages/send-text', {
    inboxId,
    contact: person.contact,
    message: { content: 'Oi' },
  });
  await scene.apply(person);
  return (await create(`/v1/messages/send-${kind}`, { conversationId, message })).errors[0]?.code;
};

/** A conversation in which the agent has to answer. */
const askAgent = async (): Promise<{ person: Person; conversation: string }> => {
  const phone = makePhoneNumber();
  const { conversation, contact } = await writeAsContact(platform, { from: phone, text: QUESTION });
  // Follow-ups wait for the day of the contact's country.
  await database.sql('update contacts set country_code = null where _id = $1', [contact._id]);
  return { person: { contact: contact._id, phone }, conversation: conversation._id };
};
const awaitAnswer = (conversation: string, count: number): Promise<Json> =>
  waitUntil('the message of the agent', async () => {
    await database.sql(
      'update pending_turns set held_until = now() where conversation_id = $1 and claimed_at is null',
      [conversation],
    );
    const { result } = await read(`/v1/messages/conversation/${conversation}?sort=createdAt`);
    const sent = result.filter(({ message_type }: Json) => message_type === 'OUTGOING');
    return sent.length === count && sent.at(-1);
  });

const CALLERS: Record<string, { kind: Caller; send(scene: Scene): Promise<unknown> }> = {
  text: { kind: 'MESSAGE', send: single('text', { content: 'Oi' }) },
  template: { kind: 'MESSAGE', send: single('template', { template: TEMPLATE }) },
  agent: {
    kind: 'MESSAGE',
    send: async (scene) => {
      const { person, conversation } = await askAgent();
      await scene.apply(person);
      return (await awaitAnswer(conversation, 1))['errors'][0]?.code;
    },
  },
  'follow-up': {
    kind: 'MESSAGE',
    send: async (scene) => {
      const { person, conversation } = await askAgent();
      await awaitAnswer(conversation, 1);
      const id = await waitUntil('the follow-up', async () => {
        const { result } = await read(`/v1/agents/follow-ups?conversation=${conversation}`);
        return result[0]?._id;
      });
      await scene.apply(person);
      await database.sql('update follow_ups set scheduled_at = now(), held_until = now() where _id = $1', [id]);
      const ended = await waitUntil('the follow-up to end', async () => {
        const { result } = await read(`/v1/agents/follow-ups?conversation=${conversation}`);
        return result[0]?.status !== 'SCHEDULED' && result[0];
      });
      return ended.cancel_reason ?? (await awaitAnswer(conversation, 2))['errors'][0]?.code;
    },
  },
  bulk: { kind: 'BULK', send: bulk(false) },
  'dry run': { kind: 'BULK', send: bulk(true) },
  preview: {
    kind: 'CAMPAIGN',
    send: async (scene) => (await read(`/v1/campaigns/${(await campaign(scene))['_id']}/preview`)).skipped[0]?.reason,
  },
  campaign: {
    kind: 'CAMPAIGN',
    send: async (scene) => {
      const { _id } = await campaign(scene);
      await call(201, 'POST', `/v1/campaigns/${_id}/start`);
      const { result } = await waitUntil('the campaign to end', async () => {
        const { status } = await read(`/v1/campaigns/${_id}`);
        return status === 'COMPLETED' && read(`/v1/campaign-enrollments?campaign=${_id}`);
      });
      return result[0].skip_reason;
    },
  },
};

for (const { codes, message } of RULES) {
  // Only an agent gets as far as this rule: what it plans to send is of a kind that the channel of the conversation does not take.
  if (typeof message !== 'string') continue;
  test(`everyone who sends learns by the same code: ${message}`, async () => {
    const scene = SCENES[message];
    assert.ok(scene, 'the rule has no scene');
    for (const [name, { kind, send }] of Object.entries(CALLERS)) {
      if (codes[kind] === undefined || scene.except?.includes(name)) continue;
      const code = await send(scene);
      await scene.undo?.();
      assert.equal(code, codes[kind], name);
    }
  });
}
