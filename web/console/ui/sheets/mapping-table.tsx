/** The columns of a sheet with their first values, and the field that each fills. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import type { ImportField, Mapping } from './mapping.ts';
import styles from './sheets.module.css';
import type { SheetHead } from './sheet-head.ts';
import { SHEETS } from './texts.ts';

interface MappingTableProps {
  head: SheetHead;
  mapping: Mapping;
  fields: readonly ImportField[];
  onChoose(title: string, field: string | null): void;
}

export function MappingTable({ head, mapping, fields, onChoose }: MappingTableProps): ReactElement {
  const texts = useTexts(SHEETS);
  return (
    <div className={styles['mapping']}>
      <h3>{texts.columns}</h3>
      <p className={styles['note']}>{texts.columnsLead}</p>
      <div className={styles['scroller']}>
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">{texts.column}</th>
              <th scope="col">{texts.examples}</th>
              <th scope="col">{texts.field}</th>
            </tr>
          </thead>
          <tbody>
            {[...mapping].map(([title, field]) => {
              const at = head.titles.indexOf(title);
              const examples = head.examples.map((row) => row[at]).filter(Boolean);
              return (
                <tr key={title}>
                  <th scope="row">{title}</th>
                  <td className={styles['examples']}>{examples.join(' · ')}</td>
                  <td>
                    {at === head.titles.lastIndexOf(title) ? (
                      <FieldChoice
                        title={title}
                        field={field}
                        fields={fields}
                        onChoose={(chosen) => onChoose(title, chosen)}
                      />
                    ) : (
                      <span className={styles['note']}>{texts.twice}</span>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}

interface FieldChoiceProps {
  title: string;
  field: string | null;
  fields: readonly ImportField[];
  onChoose(field: string | null): void;
}

function FieldChoice({ title, field, fields, onChoose }: FieldChoiceProps): ReactElement {
  const texts = useTexts(SHEETS);
  return (
    <select
      className={styles['choice']}
      aria-label={texts.fieldFor(title)}
      value={field ?? ''}
      onChange={({ target }) => onChoose(target.value || null)}
    >
      <option value="">{texts.ignored}</option>
      {fields.map((each) => (
        <option key={each.key} value={each.key}>
          {each.title}
        </option>
      ))}
    </select>
  );
}
