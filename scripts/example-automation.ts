/** The steps of the recording for quick replies, macros and rules. */
import { waitUntil } from '../test/support/wait.ts';
import type { Json, Platform } from '../test/support/platform.ts';
import type { Take } from './example-steps.ts';

export async function recordAutomation(take: Take, platform: Platform, conversation: string): Promise<void> {
  await recordQuickReplies(take);
  await recordRules(take, platform);
  await recordMacros(take, conversation);
}

async function recordQuickReplies(take: Take): Promise<void> {
  const greeting = { title: 'Greeting', shortcut: 'hello', content: 'Hello {{contact.first_name}}! How can we help?' };
  const reply = await take('POST /v1/quick-replies', '', { body: greeting });
  await take('PATCH /v1/quick-replies/{id}', reply._id, { body: { shortcut: 'hi' } });
  await take('DELETE /v1/quick-replies/{id}', reply._id);
}

async function recordMacros(take: Take, conversation: string): Promise<void> {
  const actions = { reply: 'Thank you, {{contact.first_name}}!', status: 'CLOSED', add_tags: ['done'] };
  const macro = await take('POST /v1/macros', '', { body: { name: 'Thank and close', actions } });
  await take('POST /v1/conversations/{id}/macro', conversation, { body: { macro: macro._id, hold_seconds: 10 } });
  await take('PATCH /v1/macros/{id}', macro._id, { body: { name: 'Thank the contact and close' } });
  // The conversation has the tag already, so nothing that happens later depends on when the run ends.
  const tagging = { name: 'Mark as done', actions: { add_tags: ['done'] } };
  const { _id: quiet } = await take('POST /v1/macros', '', { body: tagging });
  await take('POST /v1/macros/{id}/run', quiet, { body: { ids: [conversation] } });
  await take('DELETE /v1/macros/{id}', macro._id);
}

/** Records rules. One of them runs when the contact writes. */
async function recordRules(take: Take, platform: Platform): Promise<void> {
  const event = 'MESSAGE_RECEIVED';
  const conditions = [
    { match: 'ALL', conditions: [{ field: 'text', operator: 'CONTAINS_ANY_OF', values: ['invoice', 'nota fiscal'] }] },
  ];
  const actions = { add_tags: ['billing'], priority: 'HIGH', webhook: true };
  const rule = await take('POST /v1/rules', '', { body: { name: 'Invoices', event, conditions, actions } });
  await platform.receive({ from: '5511988887777', text: 'Can you send me the invoice?' });
  await waitUntil('the rule to run', async (): Promise<boolean> => {
    const { body } = await platform.call(200, 'GET', `/v1/rules/${rule._id}/runs`);
    return (body as Json).result.length > 0;
  });
  await take('GET /v1/rules/{id}/runs', rule._id);
  await take('POST /v1/rules/dry-run', '', { body: { event, conditions } });
  await take('PATCH /v1/rules/{id}', rule._id, { body: { is_active: false } });
  await take('DELETE /v1/rules/{id}', rule._id);
}
