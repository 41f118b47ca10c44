/** Saves the contacts or the numbers of a campaign as a CSV. */
import type { CampaignsExportQuery } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { saveFile } from '../../../ui/download.ts';
import { showError } from '../../../ui/toast.tsx';
import { REPORT } from './texts.ts';

interface ExportButtonProps {
  campaign: string;
  content: NonNullable<CampaignsExportQuery['content']>;
}

export function ExportButton({ campaign, content }: ExportButtonProps): ReactElement {
  const texts = useTexts(REPORT);
  const save = useMutation({
    mutationFn: async () =>
      saveFile(await parley.campaigns.export(campaign, { content }), `campaign-${content.toLowerCase()}.csv`),
    onError: showError,
  });
  return (
    <Button icon="download" isBusy={save.isPending} onClick={() => save.mutate()}>
      {texts[content]}
    </Button>
  );
}
