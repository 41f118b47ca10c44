import { listWabaAccounts, findCallbackAddress } from './accounts.ts';
import { escapeLikeMeta } from './envelope.ts';
import type { Json } from './exchange.ts';
import { postBody } from './notifier.ts';
import type { Sandbox } from './state.ts';
import type { Template } from './templates.ts';

/** Notifies the webhook of each part of a template that `change` names, as the network does after a review or a complaint. */
export function notifyTemplate(sandbox: Sandbox, wabaId: string, template: Template, change: Json): void {
  const [account] = listWabaAccounts(sandbox.graph.accounts, wabaId);
  if (account === undefined) return;
  const target = findCallbackAddress(sandbox.graph.accounts, account, sandbox.graph.settings.callback_url);
  const common = {
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language,
  };
  const changes: Json[] = [];
  if (change['status'] !== undefined) {
    const value = { event: template.status, ...common, reason: template.rejected_reason ?? 'NONE' };
    changes.push({ field: 'message_template_status_update', value });
  }
  if (change['quality'] !== undefined) {
    const value = { previous_quality_score: 'GREEN', new_quality_score: template.quality, ...common };
    changes.push({ field: 'message_template_quality_update', value });
  }
  if (change['category'] !== undefined)
    changes.push({ field: 'template_category_update', value: { ...common, new_category: template.category } });
  if (changes.length === 0) return;
  const entry = [{ id: wabaId, time: Math.floor(Date.now() / 1_000), changes }];
  postBody(sandbox, target, Buffer.from(escapeLikeMeta({ object: 'whatsapp_business_account', entry })));
}
