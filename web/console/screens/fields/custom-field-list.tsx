/** The custom fields of the company. */
import type { CustomField } from '@parley/sdk';
import type { ReactElement, ReactNode } from 'react';
import { parley } from '../../client.ts';
import { useFeed } from '../../records/feeds.ts';
import { useTexts } from '../../texts/texts.ts';
import type { Column } from '../../ui/record-list.tsx';
import { CustomFieldDialog } from './custom-field-dialog.tsx';
import { CUSTOM_FIELDS_KEY } from './field-lists.ts';
import { ListPart } from './list-part.tsx';
import { FIELDS } from './texts.ts';

export function CustomFieldList({ parts }: { parts: ReactNode }): ReactElement {
  const texts = useTexts(FIELDS);
  const feed = useFeed<CustomField>(CUSTOM_FIELDS_KEY, (after, signal) =>
    parley.customFields.list({ limit: 100, skipCount: true, after }, { signal }),
  );
  return (
    <ListPart
      parts={parts}
      resource="custom-fields"
      icon="fields"
      texts={{ ...texts, label: texts.customFields }}
      feed={feed}
      columns={useColumns()}
      renderDialog={(field, close) => <CustomFieldDialog field={field} onClose={close} />}
    />
  );
}

function useColumns(): Column<CustomField>[] {
  const texts = useTexts(FIELDS);
  return [
    { key: 'title', title: texts.title, width: 'minmax(130px, 2fr)', render: ({ title }) => title },
    { key: 'context', title: texts.context, width: '150px', render: ({ context }) => texts[context] },
    {
      key: 'type',
      title: texts.type,
      width: 'minmax(120px, 1fr)',
      isSecondary: true,
      render: ({ type }) => texts[type],
    },
    {
      key: 'options',
      title: texts.options,
      width: 'minmax(120px, 2fr)',
      isSecondary: true,
      render: ({ options }) => options.join(', ') || '–',
    },
    {
      key: 'slug',
      title: texts.slug,
      width: 'minmax(120px, 1fr)',
      isSecondary: true,
      render: ({ slug }) => <code>{slug}</code>,
    },
  ];
}
