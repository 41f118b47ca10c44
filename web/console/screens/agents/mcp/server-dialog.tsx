/** Adds an MCP server, changes how it is called, or removes it. */
import type { McpServer } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { forgetMcpServer, showMcpServer } from '../../../records/mcp-servers.ts';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { explainField } from '../../../ui/problem.ts';
import { RemoveButton } from '../../../ui/remove-button.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { showNotice } from '../../../ui/toast.tsx';
import { MCP } from './texts.ts';

interface ServerDialogProps {
  /** Null adds a new one. */
  server: McpServer | null;
  onClose(): void;
  onSaved(server: McpServer): void;
  onRemoved(id: string): void;
}

export function ServerDialog({ server, onClose, onSaved, onRemoved }: ServerDialogProps): ReactElement {
  const texts = useTexts(MCP);
  const common = useTexts(COMMON);
  const mayRemove = useMay('agents:delete');
  const [form, setForm] = useState({
    name: server?.name ?? '',
    url: server?.url ?? '',
    headerName: server?.header?.name ?? '',
    headerValue: server?.header?.value ?? '',
  });
  const change = (part: Partial<typeof form>): void => setForm({ ...form, ...part });
  const saving = useMutation({
    mutationFn: () => {
      const { name, url, headerName, headerValue } = form;
      const header = headerName.trim() === '' ? null : { name: headerName.trim(), value: headerValue };
      const body = { name, url: url.trim(), header };
      return server ? parley.mcpServers.update(server._id, body) : parley.mcpServers.create(body);
    },
    onSuccess: (saved) => {
      showMcpServer(saved);
      onSaved(saved);
    },
  });
  const explain = (path: string): string | null => explainField(saving.error, path);
  return (
    <Dialog
      title={server?.name ?? texts.newServer}
      onClose={onClose}
      actions={
        <>
          {server && mayRemove && (
            <RemoveButton
              meaning={texts.removeMeaning}
              remove={() => parley.mcpServers.delete(server._id)}
              onRemoved={() => {
                forgetMcpServer(server._id);
                showNotice(texts.removed(server.name));
                onRemoved(server._id);
              }}
            />
          )}
          <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate()}>
            {server ? common.save : common.create}
          </Button>
        </>
      }
    >
      <FormProblem error={saving.error} fields={['name', 'url', 'header']} />
      <TextField label={texts.name} value={form.name} onChange={(name) => change({ name })} error={explain('name')} />
      <TextField
        label={texts.url}
        hint={texts.urlHint}
        type="url"
        placeholder="https://"
        value={form.url}
        onChange={(url) => change({ url })}
        error={explain('url')}
      />
      <TextField
        label={texts.headerName}
        hint={texts.headerNameHint}
        value={form.headerName}
        onChange={(headerName) => change({ headerName })}
        error={explain('header.name') ?? explain('header')}
      />
      {form.headerName.trim() !== '' && (
        <TextField
          label={texts.headerValue}
          hint={texts.headerValueHint}
          value={form.headerValue}
          onChange={(headerValue) => change({ headerValue })}
          error={explain('header.value')}
        />
      )}
    </Dialog>
  );
}
