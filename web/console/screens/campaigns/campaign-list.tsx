/** The list of campaigns with its search and the choice of a state. */
import type { Campaign } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useCreateCommand } from '../../frame/creating.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useCampaignNumbers, useCampaigns } from '../../records/campaigns.ts';
import { useInboxes } from '../../records/company.ts';
import { useMay } from '../../session/session.ts';
import { formatListed, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { SelectField } from '../../ui/field.tsx';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import styles from './campaigns.module.css';
import { STATUSES, useListState } from './list-state.ts';
import { hasSentNothing, PauseReason, StatusBadge } from './status.tsx';
import { CAMPAIGN_STATES, CAMPAIGNS, SKIP_REASONS } from './texts.ts';
import { NewCampaign } from './wizard/new-campaign.tsx';

export function CampaignList(): ReactElement {
  const texts = useTexts(CAMPAIGNS);
  const names = useTexts(SCREEN_NAMES);
  const states = useTexts(CAMPAIGN_STATES);
  const [, navigate] = useLocation();
  const { choice, setSearch, setStatus } = useListState();
  const feed = useCampaigns(choice);
  const columns = useColumns();
  const mayCreate = useMay('campaigns:create');
  const [isBegun, begin] = useState(false);
  useCreateCommand('campaigns', () => begin(true));
  const close = (created: Campaign | null): void => {
    begin(false);
    if (created) navigate(`/${created._id}`);
  };
  const isChosen = choice.search !== undefined || choice.status !== undefined;
  const options = [
    { value: '', label: texts.allStates },
    ...STATUSES.map((value) => ({ value, label: states[value] })),
  ];
  return (
    <RecordsPage
      title={names.campaigns}
      lead={texts.lead}
      feed={feed}
      columns={columns}
      onOpen={({ _id }) => navigate(`/${_id}`)}
      create={mayCreate && { label: texts.newCampaign, run: () => begin(true) }}
      tools={
        <>
          <SearchField label={texts.searchHere} value={choice.search ?? ''} onSearch={setSearch} />
          <SelectField<string> label={texts.state} value={choice.status ?? ''} options={options} onChange={setStatus} />
        </>
      }
      isFiltered={isChosen}
      empty={{ icon: 'campaign', title: texts.nothing }}
    >
      {isBegun && <NewCampaign onClose={close} />}
    </RecordsPage>
  );
}

function useColumns(): Column<Campaign>[] {
  const texts = useTexts(CAMPAIGNS);
  const inboxes = useInboxes();
  return [
    { key: 'name', title: texts.name, width: 'minmax(140px, 2fr)', render: ({ name }) => name },
    { key: 'status', title: texts.state, width: '120px', render: (campaign) => <StatusBadge {...campaign} /> },
    {
      key: 'progress',
      title: texts.progress,
      width: 'minmax(150px, 1.5fr)',
      isSecondary: true,
      render: (campaign) => <Progress campaign={campaign} />,
    },
    {
      key: 'reason',
      title: texts.reason,
      width: 'minmax(120px, 2fr)',
      isSecondary: true,
      render: (campaign) =>
        hasSentNothing(campaign) ? <WhyNothing campaign={campaign} /> : <PauseReason {...campaign} />,
    },
    {
      key: 'begins',
      title: texts.begins,
      width: '150px',
      isSecondary: true,
      render: ({ started_at, scheduled_at }) => {
        const at = started_at ?? scheduled_at;
        return at === null ? '–' : formatListed(at);
      },
    },
    {
      key: 'inbox',
      title: texts.inbox,
      width: 'minmax(110px, 1fr)',
      isSecondary: true,
      render: ({ inbox }) => inboxes.find(({ _id }) => _id === inbox)?.name ?? '–',
    },
  ];
}

/** How many of the contacts have got a message. A campaign that has not begun has no contacts yet. */
function Progress({ campaign: { totals, started_at } }: { campaign: Campaign }): ReactElement {
  const texts = useTexts(CAMPAIGNS);
  if (started_at === null) return <>–</>;
  const words = texts.sentOf(formatNumber(totals.sent), formatNumber(totals.enrolled));
  return (
    <span className={styles['progress']}>
      <progress aria-label={words} max={totals.enrolled || 1} value={totals.sent} />
      {words}
    </span>
  );
}

/** Why a campaign that is over has reached nobody. */
function WhyNothing({ campaign }: { campaign: Campaign }): ReactElement | null {
  const texts = useTexts(CAMPAIGNS);
  const reasons = new Map(Object.entries(useTexts(SKIP_REASONS)));
  const { data: numbers } = useCampaignNumbers(campaign._id);
  if (!numbers) return null;
  const skipped = numbers.skip_reasons.map(({ reason, count }) =>
    texts.skippedFor(formatNumber(count), reasons.get(reason) ?? reason),
  );
  const failed = numbers.failed > 0 ? [texts.failedOf(formatNumber(numbers.failed))] : [];
  const words = [...skipped, ...failed].join(' · ');
  return <span title={words}>{words}</span>;
}
