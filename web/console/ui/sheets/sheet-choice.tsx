/** Chooses a sheet, and shows its columns with the fields that they fill. */
import { useState, type ReactElement, type ReactNode } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../button.tsx';
import { FileField } from '../file-field.tsx';
import { Card } from '../page.tsx';
import { findDoubled, mapTitles, type ImportField, type Mapping } from './mapping.ts';
import { MappingTable } from './mapping-table.tsx';
import { readSheetHead, type SheetHead } from './sheet-head.ts';
import styles from './sheets.module.css';
import { SHEETS } from './texts.ts';

interface Chosen {
  file: File;
  /** Null when the page cannot show the columns. */
  head: SheetHead | null;
}

export interface MappedSheet {
  file: File;
  /** Null when the page cannot show the columns. */
  head: SheetHead | null;
  /** Null when the page cannot show the columns. */
  mapping: Mapping | null;
}

interface SheetChoiceProps {
  fields: readonly ImportField[];
  /** Returns the field that the title of a column means; null when it means none. */
  find(title: string): string | null;
  /** Shows a dialog that defines a field for a column, and ends with the field; absent where the user may not define one. */
  define?: ((title: string, onEnd: (field: string | null) => void) => ReactNode) | undefined;
  /** What stands below the columns of a sheet: options, and the button that starts the import. */
  children(sheet: MappedSheet): ReactNode;
}

export function SheetChoice({ fields, find, define, children }: SheetChoiceProps): ReactElement {
  const texts = useTexts(SHEETS);
  const [chosen, choose] = useState<Chosen | null>(null);
  const [corrections, correct] = useState<Mapping>(new Map());
  const [defining, setDefining] = useState<string | null>(null);
  const open = async (file: File): Promise<void> => {
    correct(new Map());
    choose({ file, head: await readSheetHead(file) });
  };
  const mapping = chosen?.head ? new Map([...mapTitles(chosen.head.titles, find), ...corrections]) : null;
  return (
    <Card>
      <FileField
        label={texts.sheet}
        choose={texts.chooseSheet}
        name={chosen?.file.name ?? null}
        accept=".csv,.tsv,.txt,.xlsx,text/csv"
        dropHint={texts.dropHere}
        onChoose={(file) => void open(file)}
      />
      {chosen?.head && mapping && (
        <MappingTable
          head={chosen.head}
          mapping={mapping}
          fields={fields}
          onChoose={(title, field) => correct(new Map(corrections).set(title, field))}
          onDefine={define && setDefining}
        />
      )}
      {defining !== null &&
        define?.(defining, (field) => {
          if (field !== null) correct(new Map(corrections).set(defining, field));
          setDefining(null);
        })}
      {chosen && !chosen.head && <p className={styles['note']}>{texts.unreadable}</p>}
      {chosen && children({ ...chosen, mapping })}
    </Card>
  );
}

interface StartButtonProps {
  sheet: MappedSheet;
  fields: readonly ImportField[];
  /** What else has to be chosen before the import can start. */
  missing?: string | null;
  isBusy: boolean;
  onStart(): void;
}

/** Starts the import, or says why it cannot start yet. */
export function StartButton({ sheet, fields, missing = null, isBusy, onStart }: StartButtonProps): ReactElement {
  const texts = useTexts(SHEETS);
  const obstacle = useObstacle(sheet, fields) ?? missing;
  return (
    <div className={styles['actions']}>
      <Button kind="primary" icon="upload" isBusy={isBusy} disabled={obstacle !== null} onClick={onStart}>
        {texts.start}
      </Button>
      {obstacle && <p className={styles['problem']}>{obstacle}</p>}
    </div>
  );
}

function useObstacle({ mapping }: MappedSheet, fields: readonly ImportField[]): string | null {
  const texts = useTexts(SHEETS);
  if (!mapping) return null;
  const doubled = findDoubled(mapping);
  if (doubled !== null) return texts.sameField(fields.find(({ key }) => key === doubled)?.title ?? doubled);
  return [...mapping.values()].every((field) => field === null) ? texts.nothingChosen : null;
}
