/** The inboxes: the list of all, and one with its settings. */
import type { Inbox } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Route, Switch, useLocation, useParams } from 'wouter';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useMay } from '../../session/session.ts';
import { CHANNEL_NAMES } from '../../texts/channels.ts';
import { useTexts } from '../../texts/texts.ts';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import { ConnectInbox } from './connect-inbox.tsx';
import { nameAddress, StateBadge, useCause } from './connection.tsx';
import { useInbox, useInboxList } from '../../records/inboxes.ts';
import { InboxPage } from './inbox-page.tsx';
import { INBOXES } from './texts.ts';

export function InboxesScreen(): ReactElement {
  return (
    <Switch>
      <Route path="/:id">
        <OneInbox />
      </Route>
      <Route>
        <InboxTable />
      </Route>
    </Switch>
  );
}

function OneInbox(): ReactElement {
  const { id } = useParams<{ id: string }>();
  const { data, error, refetch } = useInbox(id);
  if (data) return <InboxPage key={id} inbox={data} />;
  return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
}

function InboxTable(): ReactElement {
  const texts = useTexts(INBOXES);
  const names = useTexts(SCREEN_NAMES);
  const mayCreate = useMay('inboxes:create');
  const [isConnecting, connect] = useState(false);
  const [, go] = useLocation();
  const feed = useInboxList();
  const columns = useColumns();
  return (
    <RecordsPage
      title={names.inboxes}
      lead={texts.lead}
      feed={feed}
      columns={columns}
      onOpen={({ _id }) => go(`/${_id}`)}
      create={mayCreate && { label: texts.connect, run: () => connect(true) }}
      empty={{ icon: 'channel', title: texts.nothing }}
    >
      {isConnecting && <ConnectInbox onClose={() => connect(false)} />}
    </RecordsPage>
  );
}

function useColumns(): Column<Inbox>[] {
  const texts = useTexts(INBOXES);
  const explain = useCause();
  return [
    { key: 'name', title: texts.name, width: 'minmax(140px, 2fr)', render: ({ name }) => name },
    {
      key: 'channel',
      title: texts.channel,
      width: '150px',
      isSecondary: true,
      render: ({ channel }) => CHANNEL_NAMES[channel],
    },
    {
      key: 'number',
      title: texts.number,
      width: 'minmax(150px, 2fr)',
      isSecondary: true,
      render: (inbox) => <span title={nameAddress(inbox)}>{nameAddress(inbox) || '–'}</span>,
    },
    {
      key: 'cause',
      title: texts.connection,
      width: 'minmax(140px, 3fr)',
      isSecondary: true,
      render: (inbox) => <span title={explain(inbox)}>{explain(inbox)}</span>,
    },
    { key: 'state', title: texts.state, width: '120px', render: (inbox) => <StateBadge inbox={inbox} /> },
  ];
}
