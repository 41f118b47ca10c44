/** The file of a quick reply. It is uploaded as soon as it is chosen. */
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { useFieldUpload } from '../../ui/uploads/field-upload.ts';
import { REPLIES } from './texts.ts';

interface AttachmentFieldProps {
  /** The id of the attachment; null when there is none. */
  attachment: string | null;
  onChange(attachment: string | null): void;
}

export function AttachmentField({ attachment, onChange }: AttachmentFieldProps): ReactElement {
  const texts = useTexts(REPLIES);
  const stored = useQuery({
    queryKey: ['attachment', attachment],
    queryFn: ({ signal }) => parley.attachments.get(attachment ?? '', { signal }),
    enabled: attachment !== null,
  });
  const { isBusy, problem, upload } = useFieldUpload(({ _id }) => onChange(_id));
  return (
    <div>
      <FileField
        label={texts.file}
        choose={texts.chooseFile}
        name={attachment === null ? null : (stored.data?.meta.fileName ?? '…')}
        isBusy={isBusy}
        onChoose={upload}
      />
      {attachment !== null && (
        <Button kind="quiet" icon="close" onClick={() => onChange(null)}>
          {texts.removeFile}
        </Button>
      )}
      <FormProblem error={problem ?? stored.error} fields={[]} />
    </div>
  );
}
