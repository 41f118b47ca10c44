/** The business hours of the company, and the inboxes that have them. */
import type { BusinessHours } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useInboxes } from '../../records/company.ts';
import { useFeed } from '../../records/feeds.ts';
import { useMay } from '../../session/session.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { HoursDialog } from './hours-dialog.tsx';
import { HOURS_KEY } from './hours-list.ts';
import { findNextDate, summarizeWeek } from './summary.ts';
import { BUSINESS_HOURS } from './texts.ts';

export function HoursScreen(): ReactElement {
  const texts = useTexts(BUSINESS_HOURS);
  const names = useTexts(SCREEN_NAMES);
  const mayCreate = useMay('inboxes:create');
  const mayChange = useMay('inboxes:update');
  const [edited, edit] = useState<BusinessHours | 'NEW' | null>(null);
  const feed = useFeed<BusinessHours>(
    HOURS_KEY,
    (after, signal) => parley.businessHours.list({ limit: 50, skipCount: true, after }, { signal }),
    { isLive: false },
  );
  return (
    <RecordsPage
      title={names['business-hours']}
      lead={texts.lead}
      feed={feed}
      columns={useColumns()}
      onOpen={mayChange ? edit : undefined}
      create={mayCreate && { label: texts.create, run: () => edit('NEW') }}
      empty={{ icon: 'clock', title: texts.nothing }}
    >
      {edited !== null && <HoursDialog hours={edited === 'NEW' ? null : edited} onClose={() => edit(null)} />}
    </RecordsPage>
  );
}

function useColumns(): Column<BusinessHours>[] {
  const texts = useTexts(BUSINESS_HOURS);
  const inboxes = useInboxes();
  const nameInboxes = ({ _id }: BusinessHours): string =>
    inboxes
      .filter(({ business_hours, status }) => business_hours === _id && status === 'ACTIVE')
      .map(({ name }) => name)
      .join(', ');
  return [
    { key: 'name', title: texts.name, width: 'minmax(120px, 2fr)', render: ({ name }) => name },
    { key: 'hours', title: texts.hours, width: 'minmax(180px, 4fr)', render: summarizeWeek },
    {
      key: 'time-zone',
      title: texts.timeZone,
      width: 'minmax(130px, 2fr)',
      isSecondary: true,
      render: ({ time_zone }) => time_zone,
    },
    {
      key: 'dates',
      title: texts.dates,
      width: 'minmax(130px, 2fr)',
      isSecondary: true,
      render: ({ special_dates: dates }) => {
        const next = findNextDate(dates);
        const count = formatNumber(dates.length);
        return dates.length === 0 ? '–' : next === undefined ? count : texts.datesNext(count, next);
      },
    },
    {
      key: 'inboxes',
      title: texts.inboxes,
      width: 'minmax(130px, 3fr)',
      isSecondary: true,
      render: (hours) => nameInboxes(hours) || texts.noInbox,
    },
  ];
}
