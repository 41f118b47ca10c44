/** Merges another contact into this one: finds it, shows side by side what stays, and asks once more. */
import type { Contact } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { describeContact, findContacts, forgetContact, nameContact, showContact } from '../../records/contacts.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { RecordPicker } from '../../ui/record-picker.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { MergeTable } from './merge-table.tsx';
import { CONTACTS } from './texts.ts';

interface MergeDialogProps {
  contact: Contact;
  onClose(): void;
}

export function MergeDialog({ contact, onClose }: MergeDialogProps): ReactElement {
  const texts = useTexts(CONTACTS);
  const [other, setOther] = useState<Contact | null>(null);
  if (other) return <Comparison {...{ contact, other, onClose }} onBack={() => setOther(null)} />;
  return (
    <Dialog title={texts.mergeTitle(nameContact(contact))} width="wide" onClose={onClose}>
      <RecordPicker<Contact>
        label={texts.mergeWith}
        noun="contacts"
        search={async (text, signal) => {
          const found = await findContacts(text, signal);
          return found.filter(({ _id }) => _id !== contact._id);
        }}
        name={nameContact}
        about={describeContact}
        onChoose={setOther}
      />
    </Dialog>
  );
}

interface ComparisonProps extends MergeDialogProps {
  other: Contact;
  onBack(): void;
}

function Comparison({ contact, other, onBack, onClose }: ComparisonProps): ReactElement {
  const texts = useTexts(CONTACTS);
  const common = useTexts(COMMON);
  const merge = useMutation({
    mutationFn: () => parley.contacts.merge(contact._id, { contact: other._id }),
    onSuccess: (merged) => {
      forgetContact(other._id);
      showContact(merged);
      showNotice(texts.merged);
      onClose();
    },
  });
  return (
    <Dialog
      title={texts.mergeTitle(nameContact(contact))}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button kind="quiet" icon="back" onClick={onBack}>
            {texts.chooseAnother}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
          <ConfirmButton
            label={texts.merge}
            question={texts.reallyMerge}
            icon="merge"
            isBusy={merge.isPending}
            onConfirm={() => merge.mutate()}
          />
        </>
      }
    >
      <p>{texts.mergeLead(nameContact(other))}</p>
      <FormProblem error={merge.error} fields={[]} />
      <MergeTable contact={contact} other={other} />
    </Dialog>
  );
}
