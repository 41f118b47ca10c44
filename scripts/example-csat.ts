/** The steps that record the examples of satisfaction surveys, and of a merge of conversations. */
import { waitUntil } from '../test/support/wait.ts';
import type { Json, Platform } from '../test/support/platform.ts';
import type { Take } from './example-steps.ts';

/** A contact is asked when their conversation is closed, and presses a button. */
export async function recordCsat(take: Take, platform: Platform): Promise<void> {
  const { call, demo } = platform;
  const ask = (csat_question: string | null): Promise<unknown> =>
    call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { csat_question } });
  const from = '5511944443333';
  await ask('How satisfied are you with our answer?');
  await platform.receive({ from, text: 'Are you open on Sundays?' });
  const { _id: conversation } = (await call(200, 'GET', `/v1/conversations?search=${from}`)).body.result[0];
  const message = { content: 'Yes, from 8 to noon.' };
  await call(201, 'POST', '/v1/messages/send-text', { body: { conversationId: conversation, message } });
  await call(200, 'PATCH', `/v1/conversations/${conversation}`, { body: { status: 'CLOSED' } });
  const survey = await waitUntil('the survey to be sent', async (): Promise<Json> => {
    return (await call(200, 'GET', `/v1/csat-surveys?conversation=${conversation}`)).body.result[0];
  });
  const button_reply = { id: `csat:${survey['_id']}:5`, title: '😀 Good' };
  const raw = { type: 'interactive', interactive: { type: 'button_reply', button_reply } };
  await platform.sandbox('POST', '/sandbox/inbound', { from, raw });
  await take('GET /v1/csat-surveys', '?rated=true');
  await take('GET /v1/csat-surveys/{id}', survey['_id']);
  await ask(null);
  await recordMerge(take, platform, { from, conversation });
}

/** The contact writes again about the same matter. */
async function recordMerge(
  take: Take,
  { call, receive }: Platform,
  { from, conversation }: { from: string; conversation: string },
): Promise<void> {
  await receive({ from, text: 'And on holidays?' });
  const { result } = (await call(200, 'GET', `/v1/conversations?search=${from}&open=true`)).body;
  await take('POST /v1/conversations/{id}/merge', result[0]._id, { body: { conversation } });
}
