/** The MCP servers whose approved tools the model of an agent may call. They belong to the company; an agent chooses among them. */
import type { McpServer } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { showCompany, useCompany } from '../../../records/company.ts';
import { MOST_MCP_SERVERS, useMcpServers } from '../../../records/mcp-servers.ts';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { Card } from '../../../ui/page.tsx';
import { explainField } from '../../../ui/problem.ts';
import type { AgentPartProps } from '../agent-form.ts';
import shared from '../agents.module.css';
import { LookUpDialog } from './look-up-dialog.tsx';
import styles from './mcp.module.css';
import { ServerDialog } from './server-dialog.tsx';
import { MCP } from './texts.ts';
import { ToolsDialog } from './tools-dialog.tsx';

/** What is shown above the form: the connection of a server, or of a new one, its tools, or its look-up. */
type Opened =
  | { kind: 'CONNECTION'; server: McpServer | null }
  | { kind: 'TOOLS' | 'LOOK_UP'; server: McpServer }
  | null;

export function McpFields(props: AgentPartProps): ReactElement {
  const texts = useTexts(MCP);
  const company = useCompany();
  const isAllowed = company?.client_mcp_servers_enabled ?? true;
  return (
    <Card title={texts.title}>
      <p className={shared['soft']}>{texts.hint}</p>
      {isAllowed ? <Servers {...props} /> : <NotAllowed />}
      <p className={shared['problem']} role="alert">
        {explainField(props.error, 'mcp_servers')}
      </p>
    </Card>
  );
}

function NotAllowed(): ReactElement {
  const texts = useTexts(MCP);
  const mayAllow = useMay('companies:update');
  const company = useCompany();
  const allowing = useMutation({
    mutationFn: () => parley.companies.update(company?._id ?? '', { client_mcp_servers_enabled: true }),
    onSuccess: showCompany,
  });
  return (
    <>
      <p>{texts.notAllowed}</p>
      <FormProblem error={allowing.error} fields={[]} />
      {mayAllow && company && (
        <div>
          <Button isBusy={allowing.isPending} onClick={() => allowing.mutate()}>
            {texts.allow}
          </Button>
        </div>
      )}
    </>
  );
}

function Servers({ form, isLocked, onChange }: AgentPartProps): ReactElement {
  const texts = useTexts(MCP);
  const mayAdd = useMay('agents:create');
  const { data: servers = [], error } = useMcpServers();
  const [opened, open] = useState<Opened>(null);
  const choose = (id: string, isChosen: boolean): void => {
    const others = form.mcpServers.filter((each) => each !== id);
    onChange({ mcpServers: isChosen ? [...others, id] : others });
  };
  return (
    <>
      <FormProblem error={error} fields={[]} />
      {servers.length === 0 && <p className={shared['soft']}>{texts.none}</p>}
      {servers.map((server) => (
        <div key={server._id} className={styles['server']}>
          <CheckField
            label={server.name}
            checked={form.mcpServers.includes(server._id)}
            disabled={isLocked}
            onChange={(isChosen) => choose(server._id, isChosen)}
          />
          <ServerState server={server} />
          {!isLocked && (
            <div className={styles['actions']}>
              <Button kind="quiet" onClick={() => open({ kind: 'TOOLS', server })}>
                {texts.tools}
              </Button>
              <Button kind="quiet" onClick={() => open({ kind: 'LOOK_UP', server })}>
                {texts.lookUp}
              </Button>
              <Button kind="quiet" icon="edit" onClick={() => open({ kind: 'CONNECTION', server })}>
                {texts.connection}
              </Button>
            </div>
          )}
        </div>
      ))}
      {mayAdd && !isLocked && servers.length < MOST_MCP_SERVERS && (
        <div>
          <Button icon="plus" onClick={() => open({ kind: 'CONNECTION', server: null })}>
            {texts.add}
          </Button>
        </div>
      )}
      {opened?.kind === 'CONNECTION' && (
        <ServerDialog
          server={opened.server}
          onClose={() => open(null)}
          onSaved={(server) => {
            if (opened.server === null) choose(server._id, true);
            open({ kind: 'TOOLS', server });
          }}
          onRemoved={(id) => {
            choose(id, false);
            open(null);
          }}
        />
      )}
      {opened?.kind === 'TOOLS' && <ToolsDialog server={opened.server} onClose={() => open(null)} />}
      {opened?.kind === 'LOOK_UP' && <LookUpDialog server={opened.server} onClose={() => open(null)} />}
    </>
  );
}

function ServerState({ server: { tools, error } }: { server: McpServer }): ReactElement {
  const texts = useTexts(MCP);
  const changed = tools.filter(({ status }) => status !== 'APPROVED').length;
  if (error !== null) return <Badge tone="danger">{texts.fails}</Badge>;
  if (changed > 0) return <Badge tone="warning">{texts.changedCount(changed)}</Badge>;
  return <Badge tone={tools.length > 0 ? 'good' : 'plain'}>{texts.toolCount(tools.length)}</Badge>;
}
