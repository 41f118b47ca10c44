/** Chooses the tool with which people look a contact up, and the values of the contact that it gets. */
import type { McpServer } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { showMcpServer } from '../../../records/mcp-servers.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { explainField } from '../../../ui/problem.ts';
import { COMMON } from '../../../ui/texts.ts';
import { showNotice } from '../../../ui/toast.tsx';
import shared from '../agents.module.css';
import { fillForm, listArguments, toLookUp } from './look-up-form.ts';
import { MCP } from './texts.ts';

interface LookUpDialogProps {
  server: McpServer;
  onClose(): void;
}

export function LookUpDialog({ server, onClose }: LookUpDialogProps): ReactElement {
  const texts = useTexts(MCP);
  const common = useTexts(COMMON);
  const [form, setForm] = useState(() => fillForm(server));
  const { tool, values } = form;
  const saving = useMutation({
    mutationFn: () => parley.mcpServers.update(server._id, { look_up: toLookUp(server, form) }),
    onSuccess: (saved) => {
      showMcpServer(saved);
      showNotice(common.saved);
      onClose();
    },
  });
  const given = listArguments(server, tool);
  return (
    <Dialog
      title={texts.lookUpOf(server.name)}
      onClose={onClose}
      actions={
        <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate()}>
          {common.save}
        </Button>
      }
    >
      <p className={shared['soft']}>{texts.lookUpHint}</p>
      <FormProblem error={saving.error} fields={['look_up']} />
      <SelectField
        label={texts.lookUpTool}
        hint={server.tools.length === 0 ? texts.approveFirst : undefined}
        value={tool}
        options={[
          { value: '', label: texts.noLookUp },
          ...server.tools.map(({ name }) => ({ value: name, label: name })),
        ]}
        onChange={(name) => setForm({ tool: name, values })}
        error={explainField(saving.error, 'look_up.tool')}
      />
      {given.length > 0 && <p className={shared['soft']}>{texts.valuesHint}</p>}
      {given.map(({ name, description }) => (
        <TextField
          key={name}
          label={name}
          hint={description}
          value={values.get(name) ?? ''}
          onChange={(value) => setForm({ tool, values: new Map(values).set(name, value) })}
          error={explainField(saving.error, `look_up.arguments.${name}`)}
        />
      ))}
    </Dialog>
  );
}
