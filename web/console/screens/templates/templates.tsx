/** The templates of an inbox: what the network thinks of each, the chosen one as a phone shows it, and the way to submit another. */
import type { Inbox, Template } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useInboxes } from '../../records/company.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useListParams } from '../../ui/list-params.ts';
import { ListScreen } from '../../ui/list-screen.tsx';
import { Page } from '../../ui/page.tsx';
import { RecordList, type Column } from '../../ui/record-list.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/state.tsx';
import { useTemplateInboxes } from '../../ui/templates/template-inboxes.ts';
import { COMMON } from '../../ui/texts.ts';
import { editsTemplates } from '../inboxes/connection.tsx';
import { TemplateDialog } from './template-dialog.tsx';
import { useTemplates } from './template-feed.ts';
import { TemplatePane } from './template-pane.tsx';
import { findTone, useTemplateWords } from '../../ui/templates/template-words.ts';
import styles from './templates.module.css';
import { TEMPLATES } from './texts.ts';

export function TemplatesScreen(): ReactElement {
  const texts = useTexts(TEMPLATES);
  const names = useTexts(SCREEN_NAMES);
  const { params } = useListParams();
  const options = useTemplateInboxes();
  const inboxes = useInboxes();
  const wanted = params.get('inbox') ?? options[0]?.value;
  const inbox = inboxes.find(({ _id }) => _id === wanted);
  if (inbox) return <TemplatesOf key={inbox._id} inbox={inbox} />;
  return (
    <Page title={names.templates} lead={texts.lead}>
      <Empty icon="template" title={texts.noInbox} />
    </Page>
  );
}

function TemplatesOf({ inbox }: { inbox: Inbox }): ReactElement {
  const texts = useTexts(TEMPLATES);
  const common = useTexts(COMMON);
  const names = useTexts(SCREEN_NAMES);
  const may = useMay('inboxes:update') && editsTemplates(inbox);
  const { params, set } = useListParams();
  const search = params.get('search') ?? '';
  const { feed, fault } = useTemplates(inbox._id, search);
  const chosen = feed.items.find(({ _id }) => _id === params.get('template'));
  const [writing, write] = useState<{ from: Template | null; isEdit: boolean } | null>(null);
  const submitNew = may && (
    <Button kind="primary" icon="plus" onClick={() => write({ from: null, isEdit: false })}>
      {texts.submitNew}
    </Button>
  );
  return (
    <Page title={names.templates} lead={texts.lead} actions={submitNew}>
      <div className={styles['sides']} data-open={chosen !== undefined}>
        <ListScreen tools={<Tools inbox={inbox._id} search={search} onChange={set} />}>
          {fault !== null && <p className={styles['fault']}>{texts.outOfDate(fault)}</p>}
          <RecordList
            label={names.templates}
            feed={feed}
            columns={useColumns()}
            below={({ language }) => language}
            empty={
              <Empty icon="template" title={search === '' ? texts.nothing : common.nothingFound}>
                {search === '' && submitNew}
              </Empty>
            }
            current={chosen?._id}
            onOpen={({ _id }) => set('template', _id)}
          />
        </ListScreen>
        {chosen && (
          <TemplatePane
            {...{ may }}
            inbox={inbox._id}
            template={chosen}
            all={feed.items}
            onChoose={(id) => set('template', id)}
            onWrite={(isEdit) => write({ from: chosen, isEdit })}
          />
        )}
      </div>
      {writing && <TemplateDialog inbox={inbox._id} {...writing} onClose={() => write(null)} />}
    </Page>
  );
}

interface ToolsProps {
  inbox: string;
  search: string;
  onChange(name: string, value: string): void;
}

function Tools({ inbox, search, onChange }: ToolsProps): ReactElement {
  const texts = useTexts(TEMPLATES);
  const options = useTemplateInboxes();
  return (
    <>
      <SearchField label={texts.search} value={search} onSearch={(text) => onChange('search', text)} />
      {options.length > 1 && (
        <SelectField<string>
          label={texts.inbox}
          value={inbox}
          options={options}
          onChange={(id) => onChange('inbox', id)}
        />
      )}
    </>
  );
}

function useColumns(): Column<Template>[] {
  const texts = useTexts(TEMPLATES);
  const translate = useTemplateWords();
  return [
    { key: 'name', title: texts.name, width: 'minmax(140px, 2fr)', render: ({ name }) => name },
    { key: 'language', title: texts.language, width: '80px', isSecondary: true, render: ({ language }) => language },
    {
      key: 'category',
      title: texts.category,
      width: '110px',
      isSecondary: true,
      render: ({ category }) => translate(category),
    },
    {
      key: 'status',
      title: texts.status,
      width: '120px',
      render: (template) => <Badge tone={findTone(template)}>{translate(template.status)}</Badge>,
    },
  ];
}
