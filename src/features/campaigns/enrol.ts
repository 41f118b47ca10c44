/** Enrols the audience of a campaign, a portion of its contacts in each transaction, with the values that each contact has then. */
import { hasVariables } from '../../channels/templates/variables.ts';
import { planAdditions } from './adding/queries.ts';
import { readAudience } from './audience.ts';
import { enrolPortion, setEnrolled } from './audience-queries.ts';
import { holdTurn } from './portion-queries.ts';
import type { CampaignWork } from './queries.ts';
import type { Run } from './run.ts';

// The contacts that one transaction looks at, which takes some tenths of a second.
const PORTION = 5_000;

/** Returns true when the whole audience is enrolled. */
export async function enrolNext({ acting, turn }: Run, campaign: CampaignWork): Promise<boolean> {
  const match = await readAudience(acting.read, campaign.audience);
  const isNamed = campaign.steps.some(({ template }) => hasVariables(template.components ?? []));
  return acting.tx(async (tx) => {
    // Another worker has it, or it was paused: it is enrolled later.
    if ((await holdTurn(tx, turn)) === 0) return false;
    const enrolling = {
      campaign: campaign._id,
      delayMinutes: campaign.steps[0]?.delay_minutes ?? 0,
      keepsValues: isNamed,
      most: PORTION,
    };
    // Contacts who were added to the draft come first.
    if (campaign.enrolled_upto === null && (await planAdditions(tx, enrolling)) === PORTION) return false;
    const { last, looked } = await enrolPortion(tx, match, {
      ...enrolling,
      after: campaign.enrolled_upto,
      until: campaign.started_at,
    });
    const isEnrolled = looked < PORTION;
    campaign.enrolled_upto = last ?? campaign.enrolled_upto;
    await setEnrolled(tx, campaign._id, { upto: campaign.enrolled_upto, isEnrolled });
    return isEnrolled;
  });
}
