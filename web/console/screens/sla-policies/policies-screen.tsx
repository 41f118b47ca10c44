/** The SLA policies of the company. */
import type { SlaPolicy } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { changeFeeds, placeInFeed, removeFromFeed, useFeed } from '../../records/feeds.ts';
import { useMay } from '../../session/session.ts';
import { formatNumber, formatShortDuration } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { toShownPosition } from '../../ui/position.ts';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { PolicyDialog } from './policy-dialog.tsx';
import { SLA_POLICIES } from './texts.ts';

const KEY = ['sla-policies'] as const;

export function PoliciesScreen(): ReactElement {
  const texts = useTexts(SLA_POLICIES);
  const names = useTexts(SCREEN_NAMES);
  const mayCreate = useMay('inboxes:create');
  const mayChange = useMay('inboxes:update');
  const [edited, edit] = useState<SlaPolicy | 'NEW' | null>(null);
  const feed = useFeed<SlaPolicy>(
    KEY,
    (after, signal) => parley.slaPolicies.list({ limit: 50, skipCount: true, after }, { signal }),
    { isLive: false },
  );
  return (
    <RecordsPage
      title={names['sla-policies']}
      lead={texts.lead}
      feed={feed}
      columns={useColumns()}
      below={useTargets()}
      onOpen={mayChange ? edit : undefined}
      create={mayCreate && { label: texts.create, run: () => edit('NEW') }}
      empty={{ icon: 'flag', title: texts.nothing }}
    >
      {edited !== null && (
        <PolicyDialog
          policy={edited === 'NEW' ? null : edited}
          onClose={() => edit(null)}
          onSaved={(saved) =>
            changeFeeds<SlaPolicy>(KEY, (present) => placeInFeed(present, saved, ({ createdAt }) => createdAt))
          }
          onRemoved={({ _id }) => changeFeeds<SlaPolicy>(KEY, (present) => removeFromFeed(present, _id))}
        />
      )}
    </RecordsPage>
  );
}

const write = (minutes: number | null): string => (minutes === null ? '–' : formatShortDuration(minutes));

/** Returns what writes the targets of a policy in one line. */
function useTargets(): (policy: SlaPolicy) => string {
  const texts = useTexts(SLA_POLICIES);
  return (policy) =>
    [
      [texts.firstShort, policy.first_reply_minutes] as const,
      [texts.nextShort, policy.next_reply_minutes] as const,
      [texts.closeShort, policy.close_minutes] as const,
    ]
      .filter(([, minutes]) => minutes !== null)
      .map(([title, minutes]) => `${title}: ${write(minutes)}`)
      .join(' · ');
}

function useColumns(): Column<SlaPolicy>[] {
  const texts = useTexts(SLA_POLICIES);
  return [
    {
      key: 'position',
      title: texts.position,
      width: '80px',
      isSecondary: true,
      render: ({ position }) => formatNumber(toShownPosition(position)),
    },
    { key: 'name', title: texts.name, width: 'minmax(140px, 3fr)', render: ({ name }) => name },
    {
      key: 'first',
      title: texts.firstShort,
      width: 'minmax(110px, 1fr)',
      isSecondary: true,
      render: (policy) => write(policy.first_reply_minutes),
    },
    {
      key: 'next',
      title: texts.nextShort,
      width: 'minmax(110px, 1fr)',
      isSecondary: true,
      render: (policy) => write(policy.next_reply_minutes),
    },
    {
      key: 'close',
      title: texts.closeShort,
      width: 'minmax(110px, 1fr)',
      isSecondary: true,
      render: (policy) => write(policy.close_minutes),
    },
  ];
}
