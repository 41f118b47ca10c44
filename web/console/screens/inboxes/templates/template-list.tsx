/** The templates of an inbox: what the network thinks of each, and the way to submit another. */
import type { Inbox, Template } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import { RecordList, type Column } from '../../../ui/record-list.tsx';
import { Empty } from '../../../ui/state.tsx';
import { editsTemplates } from '../connection.tsx';
import { NewTemplate } from './new-template.tsx';
import { TemplateDialog } from './template-dialog.tsx';
import { useTemplates } from './template-feed.ts';
import { findTone, useTemplateWords } from './template-words.ts';
import styles from './templates.module.css';
import { TEMPLATES } from './texts.ts';

export function TemplateList({ inbox: shown }: { inbox: Inbox }): ReactElement {
  const texts = useTexts(TEMPLATES);
  const may = useMay('inboxes:update') && editsTemplates(shown);
  const inbox = shown._id;
  const [open, setOpen] = useState<Template | 'NEW' | null>(null);
  const { feed, fault } = useTemplates(inbox);
  const columns = useColumns();
  const close = (): void => setOpen(null);
  return (
    <Card title={texts.templates}>
      <p className={styles['hint']}>{texts.lead}</p>
      {fault !== null && <p className={styles['fault']}>{texts.outOfDate(fault)}</p>}
      {may && (
        <div>
          <Button icon="plus" onClick={() => setOpen('NEW')}>
            {texts.submitNew}
          </Button>
        </div>
      )}
      <div className={styles['list']}>
        <RecordList
          label={texts.templates}
          feed={feed}
          columns={columns}
          empty={<Empty icon="template" title={texts.nothing} />}
          onOpen={setOpen}
        />
      </div>
      {open === 'NEW' && <NewTemplate inbox={inbox} onClose={close} />}
      {open !== null && open !== 'NEW' && <TemplateDialog {...{ inbox, may }} template={open} onClose={close} />}
    </Card>
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
      width: '120px',
      isSecondary: true,
      render: ({ category }) => translate(category),
    },
    {
      key: 'quality',
      title: texts.quality,
      width: '100px',
      isSecondary: true,
      render: ({ quality }) => (quality === null ? '–' : translate(quality)),
    },
    {
      key: 'status',
      title: texts.status,
      width: '130px',
      render: (template) => <Badge tone={findTone(template)}>{translate(template.status)}</Badge>,
    },
  ];
}
