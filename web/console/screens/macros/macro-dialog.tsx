/** Writes a macro, changes it, or removes it. Who may not change it reads it. */
import type { Actions, Macro } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useMay, useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { ActionFields } from '../../ui/actions/action-fields.tsx';
import { MACRO_KINDS, type ActionDraft } from '../../ui/actions/action-kinds.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { forgetMacro, showMacro } from './macro-list.ts';
import { MACROS } from './texts.ts';

const FIELDS = ['name', 'actions', ...MACRO_KINDS.map((kind) => `actions.${kind}`)];

interface MacroDialogProps {
  /** Null writes a new one. */
  macro: Macro | null;
  onClose(): void;
}

export function MacroDialog({ macro, onClose }: MacroDialogProps): ReactElement {
  const texts = useTexts(MACROS);
  const common = useTexts(COMMON);
  const { user } = useSession();
  const mayShare = useMay('messages:update');
  const mayWrite = useMay('conversations:update');
  const isLocked = !mayWrite || (macro?.owner === null && !mayShare);
  const [name, setName] = useState(macro?.name ?? '');
  const [draft, setDraft] = useState<ActionDraft>(macro?.actions ?? {});
  const [owner, setOwner] = useState(macro ? macro.owner : mayShare ? null : user._id);
  const save = useMutation({
    mutationFn: () => {
      const body = { name, actions: draft as Actions };
      return macro ? parley.macros.update(macro._id, body) : parley.macros.create({ ...body, owner });
    },
    onSuccess: (saved) => {
      showMacro(saved);
      showNotice(common.saved);
      onClose();
    },
  });
  const { error } = save;
  const audiences = (['SHARED', 'PERSONAL'] as const).map((value) => ({ value, label: texts[value] }));
  return (
    <Dialog
      title={macro?.name ?? texts.create}
      onClose={onClose}
      actions={
        !isLocked && (
          <>
            {macro && <RemoveMacro macro={macro} onRemoved={onClose} />}
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
              {macro ? common.save : common.create}
            </Button>
          </>
        )
      }
    >
      <FormProblem error={error} fields={FIELDS} />
      <TextField
        label={texts.name}
        value={name}
        disabled={isLocked}
        onChange={setName}
        error={explainField(error, 'name')}
      />
      <ActionFields {...{ draft, error, isLocked }} kinds={MACRO_KINDS} onChange={setDraft} />
      <SelectField
        label={texts.audience}
        hint={!macro && texts.audienceHint}
        value={owner === null ? 'SHARED' : 'PERSONAL'}
        options={audiences}
        disabled={macro !== null || !mayShare}
        onChange={(chosen) => setOwner(chosen === 'SHARED' ? null : user._id)}
      />
    </Dialog>
  );
}

function RemoveMacro({ macro, onRemoved }: { macro: Macro; onRemoved(): void }): ReactElement {
  const texts = useTexts(MACROS);
  return (
    <RemoveButton
      remove={() => parley.macros.delete(macro._id)}
      onRemoved={() => {
        forgetMacro(macro._id);
        showNotice(texts.removed(macro.name));
        onRemoved();
      }}
    />
  );
}
