/** The people of the company: who they are, what they may do, and how they come and go. */
import { type User, type UserChanged } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useFeed } from '../../records/feeds.ts';
import { useCreateCommand } from '../../frame/creating.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useMay } from '../../session/session.ts';
import { formatListed } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Person } from '../../ui/person.tsx';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { showNotice } from '../../ui/toast.tsx';
import { InvitationLink } from './invitation-link.tsx';
import { USERS } from './texts.ts';
import { USERS_KEY } from './user-list.ts';
import { UserDialog } from './user-dialog.tsx';

export function UsersScreen(): ReactElement {
  const texts = useTexts(USERS);
  const names = useTexts(SCREEN_NAMES);
  const mayInvite = useMay('users:create');
  const mayChange = useMay('users:update');
  const columns = useColumns();
  const [edited, edit] = useState<User | 'NEW' | null>(null);
  useCreateCommand('users', () => edit('NEW'));
  const [invitation, showInvitation] = useState<{ name: string; link: string } | null>(null);
  const feed = useFeed<User>(
    USERS_KEY,
    (after, signal) => parley.users.list({ limit: 50, skipCount: true, after }, { signal }),
    { isLive: false },
  );
  const close = (changed: UserChanged | null): void => {
    edit(null);
    if (changed?.api_keys?.length) showNotice(texts.keysLeft(changed.api_keys.length));
  };
  return (
    <RecordsPage
      title={names.users}
      lead={texts.lead}
      feed={feed}
      columns={columns}
      onOpen={mayChange ? edit : undefined}
      create={mayInvite && { label: texts.invite, run: () => edit('NEW') }}
      empty={{ icon: 'contacts', title: texts.nobody }}
    >
      {edited !== null && (
        <UserDialog
          user={edited === 'NEW' ? null : edited}
          onClose={close}
          onInvited={(invited) => {
            edit(null);
            showInvitation(invited);
          }}
        />
      )}
      {invitation && <InvitationLink {...invitation} onClose={() => showInvitation(null)} />}
    </RecordsPage>
  );
}

const TONES: Record<User['status'], Tone> = { ACTIVE: 'good', INVITED: 'warning', INACTIVE: 'plain' };

function useColumns(): Column<User>[] {
  const texts = useTexts(USERS);
  return [
    { key: 'name', title: texts.name, width: 'minmax(120px, 2fr)', render: (user) => <Person user={user} /> },
    { key: 'email', title: texts.email, width: 'minmax(140px, 3fr)', isSecondary: true, render: ({ email }) => email },
    { key: 'role', title: texts.role, width: '130px', isSecondary: true, render: ({ role }) => texts[role] },
    {
      key: 'status',
      title: texts.status,
      width: '110px',
      render: ({ status, availability }) =>
        status === 'ACTIVE' && availability === 'AWAY' ? (
          <Badge tone="warning">{texts.AWAY}</Badge>
        ) : (
          <Badge tone={TONES[status]}>{texts[status]}</Badge>
        ),
    },
    {
      key: 'second-factor',
      title: texts.secondFactor,
      width: '120px',
      isSecondary: true,
      render: ({ second_factor }) => (second_factor ? texts.isOn : '–'),
    },
    {
      key: 'seen',
      title: texts.lastLogIn,
      width: '150px',
      isSecondary: true,
      render: ({ last_login_at }) => (last_login_at ? formatListed(last_login_at) : '–'),
    },
  ];
}
