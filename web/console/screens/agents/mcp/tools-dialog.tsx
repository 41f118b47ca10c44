/** Shows what an MCP server offers now, for a person who approves some of it. */
import type { McpCheck, McpServer } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { showMcpServer } from '../../../records/mcp-servers.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { Empty, Failure, Loading } from '../../../ui/state.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { showNotice } from '../../../ui/toast.tsx';
import shared from '../agents.module.css';
import styles from './mcp.module.css';
import { MCP, TOOL_STATES } from './texts.ts';

type Offered = McpCheck['offered'][number];

interface ToolsDialogProps {
  server: McpServer;
  onClose(): void;
}

export function ToolsDialog({ server, onClose }: ToolsDialogProps): ReactElement {
  const texts = useTexts(MCP);
  // The answer is what the person approves, so it is not read again meanwhile.
  const { data, error } = useQuery({
    queryKey: ['mcp-check', server._id],
    queryFn: async ({ signal }) => {
      const check = await parley.mcpServers.check(server._id, { signal });
      showMcpServer(check.server);
      return check;
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (data && data.server.error === null && data.offered.length > 0)
    return <Approval server={data.server} offered={data.offered} onClose={onClose} />;
  return (
    <Dialog title={texts.toolsOf(server.name)} onClose={onClose} width="wide">
      {error ? <Failure error={error} /> : !data && <Loading />}
      {data && <Empty icon="agent" title={data.server.error ?? texts.offersNothing} />}
    </Dialog>
  );
}

function Approval({ server, offered, onClose }: ToolsDialogProps & { offered: Offered[] }): ReactElement {
  const texts = useTexts(MCP);
  const common = useTexts(COMMON);
  const [chosen, choose] = useState(() =>
    offered.filter(({ status }) => status === 'APPROVED').map(({ name }) => name),
  );
  const saving = useMutation({
    mutationFn: () => {
      const tools = offered
        .filter(({ name }) => chosen.includes(name))
        .map(({ name, description, input_schema }) => ({ name, description, input_schema }));
      return parley.mcpServers.update(server._id, { tools });
    },
    onSuccess: (saved) => {
      showMcpServer(saved);
      showNotice(common.saved);
      onClose();
    },
  });
  return (
    <Dialog
      title={texts.toolsOf(server.name)}
      onClose={onClose}
      width="wide"
      actions={
        <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate()}>
          {texts.approve}
        </Button>
      }
    >
      <p className={shared['soft']}>{texts.approveHint}</p>
      <FormProblem error={saving.error} fields={[]} />
      <ul className={styles['tools']} aria-label={texts.tools}>
        {offered.map((tool) => (
          <ToolChoice
            key={tool.name}
            tool={tool}
            isChosen={chosen.includes(tool.name)}
            onChoose={(isChosen) =>
              choose(isChosen ? [...chosen, tool.name] : chosen.filter((name) => name !== tool.name))
            }
          />
        ))}
      </ul>
    </Dialog>
  );
}

interface ToolChoiceProps {
  tool: Offered;
  isChosen: boolean;
  onChoose(isChosen: boolean): void;
}

const TONES = { NEW: 'plain', APPROVED: 'good', CHANGED: 'warning' } as const;

function ToolChoice({ tool, isChosen, onChoose }: ToolChoiceProps): ReactElement {
  const texts = useTexts(MCP);
  const states = useTexts(TOOL_STATES);
  const { name, description, input_schema, status, refusal } = tool;
  return (
    <li>
      <div className={styles['server']}>
        <CheckField
          label={name}
          hint={refusal ?? undefined}
          checked={isChosen}
          disabled={refusal !== null}
          onChange={onChoose}
        />
        <Badge tone={TONES[status]}>{states[status]}</Badge>
      </div>
      <p className={styles['said']}>{description}</p>
      <details>
        <summary>{texts.schema}</summary>
        <pre className={styles['schema']}>{JSON.stringify(input_schema, null, 2)}</pre>
      </details>
    </li>
  );
}
