/**
 * Sends messages while the API is killed. Every text is unique, so the list of messages in the sandbox network shows how often each text
 * was sent. After the kills the statuses from the network settle the messages that it accepted; a message that stays QUEUED was never sent.
 */
import assert from 'node:assert/strict';
import type { Message } from '../../../src/features/messages/schemas.ts';
import { waitUntil } from '../../support/wait.ts';
import { countAccepted, readAcceptedText } from '../harness/accepted.ts';
import { assertWorkWasInterrupted } from '../harness/blows.ts';
import { createChance } from '../harness/chance.ts';
import { createNetwork, runConcurrently, buildNotification, buildTextElement } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { call, callUntilAccepted, withStage, createInbox, type Stage, type Tenant } from '../harness/stage.ts';

export interface SendsSize {
  sends: number;
  kills: number;
  seed: number;
}

export interface SendsResult {
  sends: number;
  answered: number;
  cut: number;
  taken: number;
  settled: number;
  queued: number;
  kills: number;
}

/** The status in the answer to the caller. */
type AnsweredMessage = Pick<Message, 'status'>;

const PHONE = '100000000000200';
const CONVERSATIONS = 10;
const LANES = 8;
const PROCESSES = 2;

export async function proveSends(size: SendsSize): Promise<SendsResult> {
  return withStage({}, async (stage) => {
    const chance = createChance(size.seed);
    const processes = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start('api')));
    const first = processes[0] as PlatformProcess;
    const tenant = await stage.createTenant('Sender');
    await createInbox(first, tenant, PHONE);
    const conversations = await openConversations(stage, first);
    // The network answers slowly, so that a kill interrupts calls; statuses come later, and are repeated until a process accepts them.
    const settings = {
      callback_url: `${first.url}/hooks/wap`,
      faults: { send: [{ kind: 'slow', ms: 40, times: null }] },
      status_delays_ms: { sent: 1_000, delivered: 1_200, read: 1_500 },
      retry: { start_ms: 200, max_ms: 1_000, tries: 100 },
    };
    await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, { body: settings });
    const slice = Math.floor(size.sends / (size.kills + 1));
    const moments = new Set(Array.from({ length: size.kills }, (_, n) => (n + 1) * slice - chance.int(slice)));
    const answers = new Map<string, AnsweredMessage>();
    let mending: Promise<void> = Promise.resolve();
    await runConcurrently(LANES, Array.from({ length: size.sends }).keys(), async (number) => {
      if (moments.has(number)) {
        const before = mending;
        mending = before.then(() => killAndRestartProcess(chance.pick(processes)));
        // A failure of the restart is reported where this promise is awaited.
        mending.catch(() => undefined);
        await before;
      }
      const content = `Text ${number}`;
      const conversationId = chance.pick(conversations);
      // Messages are sent only to a process that is alive: a refused connection would prove nothing.
      const living = chance.pick(processes.filter((process) => process.alive));
      const answer = await sendOnce(living, tenant, conversationId, content);
      if (answer) answers.set(content, answer);
    });
    await mending;
    return compareWithNetwork(stage, size, answers);
  });
}

async function openConversations(stage: Stage, api: PlatformProcess): Promise<string[]> {
  const network = createNetwork(stage.appSecret);
  const people = Array.from({ length: CONVERSATIONS }, (_, n) =>
    buildTextElement(PHONE, `55119810000${String(n).padStart(2, '0')}`, `wamid.in.${n}`, 'Hello'),
  );
  await network.postUntilHeard(api.url, buildNotification(people));
  await network.close();
  return (await stage.store.sql<{ _id: string }>('select _id from conversations order by _id')).map((row) => row._id);
}

async function killAndRestartProcess(process: PlatformProcess): Promise<void> {
  await process.kill();
  await process.restart();
}

/** Sends one text; returns null when the process died meanwhile. Such a send is not repeated, so that one text is one message. */
async function sendOnce(
  process: PlatformProcess,
  { key }: Tenant,
  conversationId: string,
  content: string,
): Promise<AnsweredMessage | null> {
  try {
    return await callUntilAccepted(201, 'POST', `${process.url}/v1/messages/send-text`, {
      key,
      body: { conversationId, message: { content, contentType: 'TEXT' } },
    });
  } catch (error) {
    // Failure policy: this proof cuts connections on purpose; any other answer is a defect.
    if (error instanceof assert.AssertionError) throw error;
    return null;
  }
}

interface StoredMessage {
  content: string;
  status: string;
}

const readOutgoing = ({ store }: Stage): Promise<StoredMessage[]> =>
  store.sql<StoredMessage>(`select content, status from messages where message_type = 'OUTGOING'`);

async function compareWithNetwork(
  stage: Stage,
  { sends, kills }: SendsSize,
  answers: Map<string, AnsweredMessage>,
): Promise<SendsResult> {
  const taken = await countAccepted(stage, readAcceptedText);
  const rows = await waitUntil('the statuses of all messages that the network accepted', async () => {
    const found = await readOutgoing(stage);
    return found.every((row) => row.status === 'READ' || !taken.has(row.content)) && found;
  });
  assert.deepEqual(
    [...taken].filter(([, times]) => times > 1),
    [],
    'a text left twice',
  );
  assert.deepEqual(await countAccepted(stage, readAcceptedText), taken, 'something was sent again later');
  const stored = new Map(rows.map((row) => [row.content, row.status]));
  assert.equal(stored.size, rows.length, 'a send made two messages');
  for (const text of taken.keys()) assert.ok(stored.has(text), `${text} left, but is not stored`);
  for (const [text, answer] of answers) {
    assert.ok(stored.has(text), `${text} was answered and lost`);
    // A status may arrive before the answer and change the message further.
    assert.ok(['SENT', 'DELIVERED', 'READ'].includes(answer.status), `${text} was answered ${answer.status}`);
    assert.ok(taken.has(text), `${text} was answered SENT, but never left`);
  }
  const queued = rows.filter((row) => row.status === 'QUEUED').length;
  const settled = rows.filter((row) => row.status === 'READ').length;
  assert.equal(queued + settled, rows.length, 'an interrupted send is QUEUED, or settled by its status');
  const cut = sends - answers.size;
  assertWorkWasInterrupted('a send', { blows: kills, met: cut });
  return { sends, answered: answers.size, cut, taken: taken.size, settled, queued, kills };
}
