/** Checks that the templates of a campaign can be sent. */
import type { NamedChannel } from '../../channels/registry.ts';
import type { ApprovedTemplate } from '../../channels/templates/compose.ts';
import type { GivenComponent } from '../../channels/templates/given.ts';
import type { Kit } from '../../kit.ts';
import { invalid } from '../../platform/values/errors.ts';
import type { Acting } from '../../platform/store/tenant.ts';
import { checkHeaders } from '../messages/files.ts';
import { findApproved } from '../templates/approved.ts';
import { checkGiven } from '../templates/parameters.ts';
import type { CampaignRow, StoredStep } from './queries.ts';

/** A step whose template is approved and whose parameters fit it. */
export interface SendableStep {
  template: ApprovedTemplate;
  given: GivenComponent[];
  category: string;
  channel: NamedChannel;
}

interface NamedStep {
  inbox: string;
  step: StoredStep;
  /** The place of the step's template in the request: `steps[0].template`. */
  path: string;
}

/** Throws an error that names the field when the template is not approved, or when the parameters do not fit it. */
export async function checkStep(kit: Kit, acting: Acting, { inbox, step, path }: NamedStep): Promise<SendableStep> {
  const { name, language, components: given = [] } = step.template;
  const paths = { inbox: 'inbox', name: `${path}.name`, language: `${path}.language` };
  const { template, category, shelf } = await findApproved(kit, acting, { inbox, name, language }, paths);
  const { channel, inbox: sender } = shelf;
  if (sender.status !== 'ACTIVE') throw invalid('inbox', 'is the id of a deleted inbox', 'INBOX_INACTIVE');
  checkHeaders(channel, await checkGiven(kit, acting.read, { channel, template, given, path: `${path}.components` }));
  return { template, given, category, channel };
}

/** Checks all steps of a campaign that is to be sent. */
export async function checkSteps(
  kit: Kit,
  acting: Acting,
  { inbox, steps }: Pick<CampaignRow, 'inbox' | 'steps'>,
): Promise<SendableStep[]> {
  if (steps.length === 0) throw invalid('steps', 'is empty: the campaign has no message yet', 'REQUIRED');
  const checked: SendableStep[] = [];
  for (const [index, step] of steps.entries())
    checked.push(await checkStep(kit, acting, { inbox, step, path: `steps[${index}].template` }));
  return checked;
}
