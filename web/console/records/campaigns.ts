/** Campaigns: their list, one with its numbers, and the contacts that take part. */
import type { Campaign, CampaignAnalytics, CampaignEnrollment, CampaignPreview, CampaignsListQuery } from '@parley/sdk';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { whenLive } from '../live/status.ts';
import { useMay } from '../session/session.ts';
import {
  changeFeeds,
  placeInFeed,
  refreshFeed,
  removeFromFeed,
  replaceInFeed,
  useFeed,
  type FeedView,
  type ReadPage,
} from './feeds.ts';
import { LIVE, queries } from './queries.ts';

const FEEDS = ['campaigns'] as const;
const PREVIEW = 'campaign-preview';
const NUMBERS = 'campaign-analytics';
const ENROLLMENT_FEEDS = 'campaign-enrollments';
const keyOf = (id: string): readonly string[] => ['campaign', id];
const numbersOf = (id: string): readonly string[] => [NUMBERS, id];
const PAGE = 50;
const CONTACT_PAGE = 10;

/** The stream says up to once a second that the numbers of a campaign have changed. They are read again after this time, once for all of it. */
const NUMBERS_PAUSE_MS = 2_000;

/** What a list of campaigns shows; without search and status it shows all of them. */
export type CampaignChoice = Pick<CampaignsListQuery, 'search' | 'status'>;

/** Lists campaigns, the newest first. */
export const useCampaigns = (choice: CampaignChoice): FeedView<Campaign> =>
  useFeed([...FEEDS, choice], (after, signal) =>
    parley.campaigns.list({ ...choice, limit: PAGE, skipCount: true, after }, { signal }),
  );

export const useCampaign = (id: string): UseQueryResult<Campaign> =>
  useQuery({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) => {
      await whenLive();
      return parley.campaigns.get(id, { signal });
    },
    ...LIVE,
  });

export const useCampaignNumbers = (id: string): UseQueryResult<CampaignAnalytics> =>
  useQuery({
    queryKey: numbersOf(id),
    queryFn: async ({ signal }) => {
      await whenLive();
      return parley.campaigns.getAnalytics(id, { signal });
    },
    ...LIVE,
  });

/** Reads what a campaign would do now, again after each change of it. The answer for the state before is shown until then. */
export function useCampaignPreview({ _id, updatedAt }: Campaign): UseQueryResult<CampaignPreview> {
  const may = useMay('contacts:read');
  return useQuery({
    queryKey: [PREVIEW, _id, updatedAt],
    queryFn: ({ signal }) => parley.campaigns.preview(_id, { signal }),
    placeholderData: keepPreviousData,
    enabled: may,
  });
}

const createdOf = ({ createdAt }: Campaign | CampaignEnrollment): string => createdAt;

/** Shows a change of a campaign. An older state than the one that is shown is ignored. */
export function showCampaign(campaign: Campaign): void {
  const before = queries.getQueryData<Campaign>(keyOf(campaign._id));
  if (before && before.updatedAt > campaign.updatedAt) return;
  queries.setQueryData(keyOf(campaign._id), campaign);
  changeFeeds<Campaign>(FEEDS, (feed, [, choice]) => {
    const { search, status } = choice as CampaignChoice;
    if (status !== undefined && status !== campaign.status) return removeFromFeed(feed, campaign._id);
    // Only the platform can tell what a search finds.
    return search === undefined ? placeInFeed(feed, campaign, createdOf) : replaceInFeed(feed, campaign);
  });
  if (before?.status === campaign.status) rereadNumbersSoon(campaign._id);
  else rereadNumbers(campaign._id);
}

const waiting = new Set<string>();

function rereadNumbersSoon(id: string): void {
  if (waiting.has(id)) return;
  waiting.add(id);
  setTimeout(() => {
    waiting.delete(id);
    void queries.invalidateQueries({ queryKey: numbersOf(id) });
    refreshEnrollments(id);
  }, NUMBERS_PAUSE_MS);
}

/** Reads the first page of the contacts that are shown again: they change with the numbers. */
function refreshEnrollments(id: string): void {
  const shown = queries.getQueryCache().findAll({ queryKey: [ENROLLMENT_FEEDS, id], type: 'active' });
  for (const { queryKey } of shown) {
    const [, campaign, status] = queryKey as EnrollmentKey;
    // Failure policy: the list shows what it has, and the next change reads it again.
    refreshFeed(queryKey, readEnrollments(campaign, status), createdOf).catch(() => undefined);
  }
}

export function rereadCampaigns(): void {
  for (const queryKey of [FEEDS, ['campaign'], [NUMBERS]]) void queries.invalidateQueries({ queryKey });
}

export function forgetCampaign(id: string): void {
  for (const queryKey of [keyOf(id), numbersOf(id)]) queries.removeQueries({ queryKey });
  changeFeeds<Campaign>(FEEDS, (feed) => removeFromFeed(feed, id));
}

/** Reads again what a campaign reaches and who takes part, after contacts were added to it. */
export function rereadCampaign(id: string): void {
  void queries.invalidateQueries({ queryKey: keyOf(id) });
  void queries.invalidateQueries({ queryKey: [PREVIEW, id] });
  rereadNumbers(id);
}

function rereadNumbers(id: string): void {
  for (const queryKey of [numbersOf(id), [ENROLLMENT_FEEDS, id]]) void queries.invalidateQueries({ queryKey });
}

/** Lists who takes part in a campaign, the last enrolled first; null shows all states. */
export const useEnrollments = (
  campaign: string,
  status: CampaignEnrollment['status'] | null,
): FeedView<CampaignEnrollment> =>
  useFeed([ENROLLMENT_FEEDS, campaign, status] satisfies EnrollmentKey, readEnrollments(campaign, status), {
    isLive: false,
  });

type EnrollmentKey = [feed: string, campaign: string, status: CampaignEnrollment['status'] | null];

const readEnrollments =
  (campaign: string, status: EnrollmentKey[2]): ReadPage<CampaignEnrollment> =>
  (after, signal) =>
    parley.campaignEnrollments.list(
      { campaign, status: status ?? undefined, limit: PAGE, skipCount: true, after },
      { signal },
    );

/** Lists the campaigns that a contact is enrolled in, the newest enrollment first. */
export const useCampaignsOfContact = (contact: string): FeedView<CampaignEnrollment> =>
  useFeed(
    ['contact-campaigns', contact],
    (after, signal) =>
      parley.campaignEnrollments.list({ contact, limit: CONTACT_PAGE, skipCount: true, after }, { signal }),
    { isLive: false },
  );

export function showEnrollment(enrollment: CampaignEnrollment): void {
  changeFeeds<CampaignEnrollment>([ENROLLMENT_FEEDS, enrollment.campaign], (feed) => replaceInFeed(feed, enrollment));
  void queries.invalidateQueries({ queryKey: numbersOf(enrollment.campaign) });
}
