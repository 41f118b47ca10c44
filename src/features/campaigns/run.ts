/** What a worker knows while it works on a campaign for one turn. */
import type { Kit } from '../../kit.ts';
import { invalid } from '../../platform/values/errors.ts';
import { actAs, type Acting } from '../../platform/store/tenant.ts';
import type { Fault } from '../sends/schemas.ts';
import { openSender, openTemplateFiles, uploadFiles, type Sender, type TemplateFiles } from '../sends/sender.ts';
import { ask, type Asking } from '../admission/admission.ts';
import type { Turn } from './portion-queries.ts';
import type { CampaignRow } from './queries.ts';
import { checkStep, type SendableStep } from './steps.ts';

/** A step whose template is approved, with the files that its messages show. */
export interface OpenStep extends SendableStep {
  shown: { template: { name: string; language: string }; files: TemplateFiles };
  asking: Asking<'CAMPAIGN'>;
}

export interface Run {
  kit: Kit;
  acting: Acting;
  turn: Turn;
  campaign: CampaignRow;
  sender: Sender;
  /** The steps that were needed in this turn. */
  steps: Map<number, OpenStep>;
}

export async function openRun(kit: Kit, company: string, campaign: CampaignRow, turn: Turn): Promise<Run> {
  const acting = actAs(kit.database, company, { type: 'campaign', id: campaign._id, name: campaign.name });
  const sender = await openSender(kit, acting.read, campaign.inbox);
  return { kit, acting, turn, campaign, sender, steps: new Map() };
}

/**
 * Opens a step for this turn. Throws a 400 when its template or its files cannot be sent any more, and another error when the network cannot
 * get the files at the moment.
 */
export async function openStep(run: Run, index: number): Promise<OpenStep> {
  const known = run.steps.get(index);
  if (known) return known;
  const { kit, acting, campaign, sender } = run;
  const step = campaign.steps[index];
  if (!step) throw new Error('the campaign has no such step');
  const path = `steps[${index}].template`;
  const checked = await checkStep(kit, acting, { inbox: campaign.inbox, step, path });
  const { channel } = sender;
  const opened = await openTemplateFiles(kit, acting.read, channel, {
    template: checked.template,
    components: checked.given,
  });
  const fault = await uploadFiles(kit, sender, opened);
  if (fault) throw isPassing(sender, fault) ? new Error(fault.message) : invalid(path, fault.message);
  const { category } = checked;
  const { send_to_active_conversations: writesToActive } = campaign.options;
  const asking = ask('CAMPAIGN', channel, sender.inbox, { contentType: 'TEMPLATE', category, writesToActive });
  const { name, language } = step.template;
  const open = { ...checked, asking, shown: { template: { name, language }, files: opened.files } };
  run.steps.set(index, open);
  return open;
}

/** Whether the network may take a file later that it has not taken now. */
const isPassing = ({ channel }: Sender, { code }: Fault): boolean =>
  code === 'PROVIDER_UNREACHABLE' || code === 'UNAVAILABLE' || Boolean(channel.findOverload?.(code));
