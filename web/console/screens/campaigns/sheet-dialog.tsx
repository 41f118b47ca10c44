/** Adds the contacts of a sheet to a campaign, and says which rows could not be added. */
import type { CampaignContactsAdded } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { rereadCampaign } from '../../records/campaigns.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { CountryField } from '../../ui/sheets/country-field.tsx';
import { useSheetCountry } from '../../ui/sheets/country.ts';
import { readSheetHead } from '../../ui/sheets/sheet-head.ts';
import { SHEETS } from '../../ui/sheets/texts.ts';
import { COMMON } from '../../ui/texts.ts';
import styles from './campaigns.module.css';
import { CAMPAIGN_SHEETS } from './texts.ts';

interface SheetDialogProps {
  campaign: string;
  onClose(): void;
}

export function SheetDialog({ campaign, onClose }: SheetDialogProps): ReactElement {
  const texts = useTexts(CAMPAIGN_SHEETS);
  const common = useTexts(COMMON);
  const [file, setFile] = useState<File | null>(null);
  const [titles, setTitles] = useState<readonly string[]>([]);
  const country = useSheetCountry();
  const add = useMutation({
    mutationFn: (chosen: File) => parley.campaigns.addSheet(campaign, { file: chosen, country: country.code }),
    onSettled: () => rereadCampaign(campaign),
  });
  const choose = async (chosen: File): Promise<void> => {
    setFile(chosen);
    setTitles((await readSheetHead(chosen))?.titles.filter(Boolean) ?? []);
  };
  return (
    <Dialog
      title={texts.addSheet}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.close}</Button>
          {!add.data && (
            <Button
              kind="primary"
              icon="upload"
              disabled={file === null}
              isBusy={add.isPending}
              onClick={() => file && add.mutate(file)}
            >
              {texts.add}
            </Button>
          )}
        </>
      }
    >
      {add.data ? (
        <Added added={add.data} />
      ) : (
        <>
          <p>{texts.lead}</p>
          <FormProblem error={add.error} fields={['country']} />
          <FileField
            label={texts.sheet}
            choose={texts.choose}
            name={file?.name ?? null}
            accept=".csv,.tsv,.txt,.xlsx,text/csv"
            onChoose={(chosen) => void choose(chosen)}
          />
          {titles.length > 0 && <p className={styles['note']}>{texts.columns(titles.join(', '))}</p>}
          <CountryField value={country.written} onChange={country.write} error={add.error} />
        </>
      )}
    </Dialog>
  );
}

/** How many of the rows that could not be added are shown. A person reads no longer list. */
const SHOWN = 50;

function Added({ added: { total, enrolled_count, errors } }: { added: CampaignContactsAdded }): ReactElement {
  const texts = useTexts(CAMPAIGN_SHEETS);
  const sheets = useTexts(SHEETS);
  return (
    <>
      <p role="status">{texts.added(formatNumber(enrolled_count), formatNumber(total))}</p>
      {errors.length > 0 && (
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">{sheets.row}</th>
              <th scope="col">{texts.number}</th>
              <th scope="col">{sheets.message}</th>
            </tr>
          </thead>
          <tbody>
            {errors.slice(0, SHOWN).map(({ row, contact, message }) => (
              <tr key={row}>
                <td>{formatNumber(row)}</td>
                <td>{contact}</td>
                <td>{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {errors.length > SHOWN && <p>{texts.more(formatNumber(errors.length - SHOWN))}</p>}
    </>
  );
}
