/** Makes the changes that an agent has planned, in the transaction that stores its answer. */
import type { Kit } from '../../../kit.ts';
import { unknownReference } from '../../../platform/values/errors.ts';
import type { Acting, TenantTx } from '../../../platform/store/tenant.ts';
import { writeContactFields } from '../../contacts/contacts.ts';
import { lockContactOf } from '../../conversations/conversations.ts';
import { changeConversationById } from '../../conversations/update.ts';
import { keepStepFromRemoval } from '../../pipelines/steps.ts';
import type { Plan } from '../tools/tool.ts';

/** Locks what the plan names and what is locked before a conversation everywhere. */
export async function lockPlanned(tx: TenantTx, { step }: Plan): Promise<void> {
  if (step !== null) await keepStepFromRemoval(tx, step);
}

/** Throws when something that the plan names has been removed meanwhile; the turn is taken again then. */
export async function applyPlan(
  kit: Kit,
  tx: TenantTx,
  acting: Acting,
  { conversation: id, plan }: { conversation: string; plan: Plan },
): Promise<void> {
  const { step, fields } = plan;
  const [ofContact, ofConversation] = [fields.contact, fields.conversation].map(
    (values) => Object.keys(values).length > 0,
  );
  if (step !== null || ofConversation) {
    const input = { ...(step !== null && { step }), ...(ofConversation && { custom_fields: fields.conversation }) };
    await changeConversationById(kit, tx, acting, { id, step: step ?? undefined, makeInput: () => input });
  }
  if (!ofContact) return;
  const contact = await lockContactOf(tx, id);
  if (contact === null) throw unknownReference('conversation');
  await writeContactFields(tx, { contact, conversation: id }, fields.contact);
}
