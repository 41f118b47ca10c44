/** The businesses of the company: their list, and the page of each. */
import type { Business } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useBusinesses } from '../../records/businesses.ts';
import { useUsers } from '../../records/company.ts';
import { useMay } from '../../session/session.ts';
import { formatListed } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { BusinessDialog } from './business-dialog.tsx';
import { BusinessPage } from './business-page.tsx';
import { BUSINESSES } from './texts.ts';

export function BusinessesScreen(): ReactElement {
  const [search, setSearch] = useState('');
  return (
    <Switch>
      <Route path="/:id">{({ id }) => <BusinessPage key={id} id={id} />}</Route>
      <Route>
        <BusinessList search={search} onSearch={setSearch} />
      </Route>
    </Switch>
  );
}

interface BusinessListProps {
  search: string;
  onSearch(search: string): void;
}

function BusinessList({ search, onSearch }: BusinessListProps): ReactElement {
  const texts = useTexts(BUSINESSES);
  const names = useTexts(SCREEN_NAMES);
  const [, navigate] = useLocation();
  const mayCreate = useMay('businesses:create');
  const [isNew, setNew] = useState(false);
  const columns = useColumns();
  const feed = useBusinesses(search);
  const close = (created: Business | null): void => {
    setNew(false);
    if (created) navigate(`/${created._id}`);
  };
  return (
    <RecordsPage
      title={names.businesses}
      feed={feed}
      columns={columns}
      onOpen={({ _id }) => navigate(`/${_id}`)}
      create={mayCreate && { label: texts.newBusiness, run: () => setNew(true) }}
      tools={<SearchField label={texts.searchHere} value={search} onSearch={onSearch} />}
      isFiltered={search !== ''}
      empty={{ icon: 'business', title: texts.nobody, lead: texts.nobodyLead }}
    >
      {isNew && <BusinessDialog business={null} onClose={close} />}
    </RecordsPage>
  );
}

function useColumns(): Column<Business>[] {
  const texts = useTexts(BUSINESSES);
  const users = useUsers();
  const ownerOf = ({ owner }: Business): string | undefined => users.find(({ _id }) => _id === owner)?.name;
  return [
    { key: 'name', title: texts.name, width: 'minmax(150px, 2fr)', render: ({ name }) => name },
    {
      key: 'domain',
      title: texts.domain,
      width: 'minmax(130px, 2fr)',
      isSecondary: true,
      render: ({ domain }) => domain ?? '–',
    },
    {
      key: 'owner',
      title: texts.owner,
      width: 'minmax(110px, 1fr)',
      isSecondary: true,
      render: (business) => ownerOf(business) ?? '–',
    },
    {
      key: 'created',
      title: texts.createdAt,
      width: '150px',
      isSecondary: true,
      render: ({ createdAt }) => formatListed(createdAt),
    },
  ];
}
