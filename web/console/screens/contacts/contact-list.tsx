/** The list of contacts with its search and filters. */
import type { Contact } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../../client.ts';
import { useCreateCommand } from '../../frame/creating.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { showReach, useContacts, type ContactChoice } from '../../records/contacts.ts';
import { hasNothing } from '../../records/feeds.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { saveFile } from '../../ui/download.ts';
import { Page } from '../../ui/page.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showError, showNotice } from '../../ui/toast.tsx';
import { useSelection, useSelectionKeys } from '../../ui/bulk/selection.ts';
import { ContactRunProgress } from './bulk/run-progress.tsx';
import { ContactSelectionBar } from './bulk/selection-bar.tsx';
import { ColumnMenu, useColumns, useSelectable } from './columns.tsx';
import { ContactDialog } from './contact-dialog.tsx';
import styles from './contacts.module.css';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { useContactFilters } from '../../ui/filters/filters.ts';
import { useListQuery, useListState } from './list-state.ts';
import { Segments } from './segments/segments.tsx';
import { CONTACTS } from './texts.ts';

export function ContactList(): ReactElement {
  const texts = useTexts(CONTACTS);
  const common = useTexts(COMMON);
  const names = useTexts(SCREEN_NAMES);
  const list = useListState();
  const { search, filters, choice, setSearch, setFilters } = list;
  const [, navigate] = useLocation();
  const withQuery = useListQuery();
  const allColumns = useColumns();
  const filterable = useContactFilters();
  const feed = useContacts(choice);
  const selection = useSelection(feed.items, choice, useMay('contacts:update'));
  useSelectionKeys(selection, null);
  const columns = useSelectable(allColumns, selection);
  const isChosen = search !== '' || filters.length > 0;
  const isFirst = !isChosen && hasNothing(feed);
  const [isNew, setNew] = useState(false);
  useCreateCommand('contacts', () => setNew(true));
  const close = (created: Contact | null): void => {
    setNew(false);
    if (created) navigate(`/${created._id}`);
  };
  const create = useMay('contacts:create') && (
    <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
      {texts.newContact}
    </Button>
  );
  return (
    <Page title={names.contacts} actions={<Actions choice={choice} create={create} />}>
      <div className={styles['screen']}>
        <div className={styles['tools']}>
          <Segments list={list} />
          <SearchField label={texts.searchHere} value={search} onSearch={setSearch} />
          <FilterBar filterable={filterable} filters={filters} onChange={setFilters} />
          {feed.hasNews && (
            <Button kind="quiet" icon="refresh" onClick={feed.reread}>
              {common.readAgain}
            </Button>
          )}
        </div>
        <div className={styles['list']}>
          <RecordList
            label={names.contacts}
            feed={feed}
            columns={columns}
            below={showReach}
            empty={
              <Empty icon="contacts" title={isChosen ? common.nothingFound : texts.nobody}>
                {isFirst && <p>{texts.nobodyLead}</p>}
              </Empty>
            }
            onOpen={({ _id }) => navigate(withQuery(`/${_id}`))}
          />
        </div>
        {selection.items.length > 0 ? (
          <ContactSelectionBar selection={selection} choice={choice} />
        ) : (
          <ContactRunProgress />
        )}
      </div>
      {isNew && <ContactDialog contact={null} onClose={close} />}
    </Page>
  );
}

function Actions({ choice, create }: { choice: ContactChoice; create: ReactNode }): ReactElement {
  const texts = useTexts(CONTACTS);
  const [, navigate] = useLocation();
  const save = useMutation({
    mutationFn: async () => saveFile(await parley.contacts.export(choice), 'contacts.csv'),
    onSuccess: () => showNotice(texts.exported),
    onError: showError,
  });
  return (
    <>
      <ColumnMenu />
      <Button icon="download" isBusy={save.isPending} onClick={() => save.mutate()}>
        {texts.exportSheet}
      </Button>
      <Button icon="upload" onClick={() => navigate('/import')}>
        {texts.importSheet}
      </Button>
      {create}
    </>
  );
}
