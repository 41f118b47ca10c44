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
  /** Defines a new field for a column; absent where the caller may not. */
  onDefine?: ((title: string) => void) | undefined;
}

export function MappingTable({ head, mapping, fields, onChoose, onDefine }: MappingTableProps): ReactElement {
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
                        onDefine={onDefine && (() => onDefine(title))}
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
  onDefine: (() => void) | undefined;
}

/** The value of the choice that defines a new field; no field has this name. */
const NEW_FIELD = '+';

function FieldChoice({ title, field, fields, onChoose, onDefine }: FieldChoiceProps): ReactElement {
  const texts = useTexts(SHEETS);
  return (
    <select
      className={styles['choice']}
      aria-label={texts.fieldFor(title)}
      value={field ?? ''}
      onChange={({ target }) => (target.value === NEW_FIELD ? onDefine?.() : onChoose(target.value || null))}
    >
      <option value="">{texts.ignored}</option>
      {onDefine && <option value={NEW_FIELD}>{texts.newField}</option>}
      {fields.map((each) => (
        <option key={each.key} value={each.key}>
          {each.title}
        </option>
      ))}
    </select>
  );
}
