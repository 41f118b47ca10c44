/** The teams of the company: who belongs to them, and how they share their conversations. */
import type { Team } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useUsers } from '../../records/company.ts';
import { useFeed } from '../../records/feeds.ts';
import { useMay } from '../../session/session.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { TeamDialog } from './team-dialog.tsx';
import { TEAMS_KEY } from './team-list.ts';
import { TEAMS } from './texts.ts';

export function TeamsScreen(): ReactElement {
  const texts = useTexts(TEAMS);
  const names = useTexts(SCREEN_NAMES);
  const mayCreate = useMay('users:create');
  const mayChange = useMay('users:update');
  const [edited, edit] = useState<Team | 'NEW' | null>(null);
  const feed = useFeed<Team>(
    TEAMS_KEY,
    (after, signal) => parley.teams.list({ limit: 50, skipCount: true, after }, { signal }),
    { isLive: false },
  );
  return (
    <RecordsPage
      title={names.teams}
      lead={texts.lead}
      feed={feed}
      columns={useColumns()}
      onOpen={mayChange ? edit : undefined}
      create={mayCreate && { label: texts.create, run: () => edit('NEW') }}
      empty={{ icon: 'contacts', title: texts.nothing }}
    >
      {edited !== null && <TeamDialog team={edited === 'NEW' ? null : edited} onClose={() => edit(null)} />}
    </RecordsPage>
  );
}

function useColumns(): Column<Team>[] {
  const texts = useTexts(TEAMS);
  const users = useUsers();
  const nameMembers = ({ members }: Team): string =>
    users
      .filter(({ _id }) => members.includes(_id))
      .map(({ name }) => name)
      .join(', ');
  return [
    { key: 'name', title: texts.name, width: 'minmax(120px, 2fr)', render: ({ name }) => name },
    {
      key: 'members',
      title: texts.members,
      width: 'minmax(160px, 4fr)',
      isSecondary: true,
      render: (team) => nameMembers(team) || texts.nobody,
    },
    {
      key: 'distribution',
      title: texts.distribution,
      width: 'minmax(130px, 2fr)',
      render: ({ distribution }) => texts[distribution],
    },
    {
      key: 'capacity',
      title: texts.capacityShort,
      width: '150px',
      isSecondary: true,
      render: ({ capacity }) => (capacity === null ? '–' : formatNumber(capacity)),
    },
  ];
}
