/**
 * The data with which a channel connects an inbox to its network. They make a new inbox, or change one; the platform then checks
 * them at the network. What a channel has of its own (its fields and its words) stands in the channel's own dialog.
 */
import type { Inbox, InboxUpdate } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ComponentProps, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextArea, TextField, type Option } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import { showInbox } from '../../records/inboxes.ts';

/** What every channel's dialog is given. */
export interface ChannelDialogProps {
  /** Null makes a new inbox. */
  inbox: Inbox | null;
  /** Leads to the step before; without it, the dialog can only be closed. */
  onBack?: () => void;
  onSaved(inbox: Inbox): void;
  onClose(): void;
}

/** What a field of the configuration has beside its label. */
type Look<Field extends string> = Pick<ComponentProps<typeof TextField>, 'type' | 'placeholder' | 'hint'> & {
  /** Makes the field a text area with this many rows. */
  rows?: number;
  /** Makes the field a choice. */
  options?: readonly Option[];
  /** Whether the field is asked for beside what stands in the others; always when absent. */
  isAsked?(config: Record<Field, string>): boolean;
};

type Texts<Field extends string> = Record<Field | 'name' | 'nameHint' | 'saveAndCheck', string> & {
  /** Explains a new inbox before its fields. */
  lead?: string;
  /** The label of the phone number, on the channels whose inboxes have one. */
  number?: string;
};

interface ChannelConfigDialogProps<Field extends string> extends ChannelDialogProps {
  title: string;
  texts: Texts<NoInfer<Field>>;
  channel: Inbox['channel'];
  /** The field of the inbox that holds the configuration. */
  configKey: keyof Inbox & `${string}_config`;
  /** In the order in which they are shown. */
  fields: Record<Field, Look<NoInfer<Field>>>;
  /** The platform shows a secret as a mask. The mask, sent back, leaves the secret as it is. */
  filled: Record<NoInfer<Field>, string>;
  makeBody(config: Record<NoInfer<Field>, string>): InboxUpdate;
}

export function ChannelConfigDialog<Field extends string>(props: ChannelConfigDialogProps<Field>): ReactElement {
  const { title, texts, channel, configKey, makeBody, inbox, onBack, onSaved, onClose } = props;
  const common = useTexts(COMMON);
  const pathOf = (field: Field): string => `${configKey}.${field}`;
  const [name, setName] = useState('');
  const [number, setNumber] = useState(inbox?.number ?? '');
  const [config, setConfig] = useState(props.filled);
  const names = (Object.keys(props.fields) as Field[]).filter((field) => props.fields[field].isAsked?.(config) ?? true);
  const save = useMutation({
    mutationFn: () => {
      const body = { ...makeBody(config), ...(texts.number !== undefined && { number }) };
      return inbox ? parley.inboxes.update(inbox._id, body) : parley.inboxes.create({ ...body, name, channel });
    },
    onSuccess: (saved) => {
      showInbox(saved);
      onSaved(saved);
    },
  });
  const { error } = save;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onBack ?? onClose}>{onBack ? common.back : common.cancel}</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
            {texts.saveAndCheck}
          </Button>
        </>
      }
    >
      {!inbox && texts.lead !== undefined && <p>{texts.lead}</p>}
      <FormProblem error={error} fields={['name', 'number', ...names.map(pathOf)]} />
      {!inbox && (
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          value={name}
          onChange={setName}
          error={explainField(error, 'name')}
        />
      )}
      {texts.number !== undefined && (
        <TextField
          label={texts.number}
          type="tel"
          placeholder="+55 11 91234-5678"
          value={number}
          onChange={setNumber}
          error={explainField(error, 'number')}
        />
      )}
      {names.map((field) => (
        <ConfigField
          key={field}
          label={texts[field]}
          look={props.fields[field]}
          value={config[field]}
          onChange={(value) => setConfig({ ...config, [field]: value })}
          error={explainField(error, pathOf(field))}
        />
      ))}
    </Dialog>
  );
}

interface ConfigFieldProps extends Pick<ComponentProps<typeof TextField>, 'label' | 'error'> {
  look: Look<never>;
  value: string;
  onChange(value: string): void;
}

function ConfigField({ look, ...field }: ConfigFieldProps): ReactElement {
  const { type, placeholder, hint, rows, options } = look;
  if (rows !== undefined) return <TextArea {...field} {...{ hint, rows }} />;
  return options ? (
    <SelectField {...field} hint={hint} options={options} />
  ) : (
    <TextField autoComplete="off" {...field} {...{ type, placeholder, hint }} />
  );
}
