/** Creates a business, or changes one. */
import type { Business } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { showBusiness } from '../../records/businesses.ts';
import { useCustomFields, useUsers } from '../../records/company.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CustomFieldInputs, pickCustomChanges, toCustomValues } from '../../ui/custom-fields.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FieldGrid } from '../../ui/field-grid.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { BUSINESSES } from './texts.ts';

interface BusinessDialogProps {
  /** Null creates a business. */
  business: Business | null;
  onClose(saved: Business | null): void;
}

export function BusinessDialog({ business, onClose }: BusinessDialogProps): ReactElement {
  const texts = useTexts(BUSINESSES);
  const common = useTexts(COMMON);
  const users = useUsers();
  const fields = useCustomFields('business');
  const [name, setName] = useState(business?.name ?? '');
  const [domain, setDomain] = useState(business?.domain ?? '');
  const [description, setDescription] = useState(business?.description ?? '');
  const [owner, setOwner] = useState(business?.owner ?? '');
  const [before] = useState(() => toCustomValues(business?.custom_fields ?? []));
  const [custom, setCustom] = useState(before);
  const save = useMutation({
    mutationFn: () => {
      const body = {
        name: name.trim(),
        domain: domain.trim() || null,
        description: description.trim() || null,
        owner: owner || null,
        custom_fields: pickCustomChanges(before, custom),
      };
      return business ? parley.businesses.update(business._id, body) : parley.businesses.create(body);
    },
    onSuccess: (saved) => {
      showBusiness(saved);
      showNotice(common.saved);
      onClose(saved);
    },
  });
  const error = save.error;
  const nobody = { value: '', label: texts.nobodyOwns };
  return (
    <Dialog
      title={business?.name ?? texts.newBusiness}
      width="wide"
      onClose={() => onClose(null)}
      actions={
        <>
          <Button onClick={() => onClose(null)}>{common.cancel}</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
            {business ? common.save : common.create}
          </Button>
        </>
      }
    >
      <FormProblem error={error} fields={['name', 'domain', 'description', 'custom_fields']} />
      <FieldGrid>
        <TextField label={texts.name} value={name} onChange={setName} error={explainField(error, 'name')} />
        <TextField
          label={texts.domain}
          hint={texts.domainHint}
          value={domain}
          onChange={setDomain}
          error={explainField(error, 'domain')}
        />
        <TextField
          label={texts.description}
          value={description}
          onChange={setDescription}
          error={explainField(error, 'description')}
        />
        <SelectField<string>
          label={texts.owner}
          value={owner}
          options={[nobody, ...users.map((user) => ({ value: user._id, label: user.name }))]}
          onChange={setOwner}
        />
        <CustomFieldInputs fields={fields} values={custom} error={error} onChange={setCustom} />
      </FieldGrid>
    </Dialog>
  );
}
