/** What the model of an agent may do beside answering. */
import type { ReactElement } from 'react';
import { findTables, useTable } from '../../records/tables.ts';
import { useTexts } from '../../texts/texts.ts';
import { CheckField } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { ChosenRecord, RecordsField, type ChosenProps } from '../../ui/records-field.tsx';
import type { AgentPartProps } from './agent-form.ts';
import styles from './agents.module.css';
import { AGENT_TOOLS, AGENTS } from './texts.ts';

/** In the order in which they are shown. */
const TOOLS = [
  'SEARCH_KNOWLEDGE',
  'SEND_FILE',
  'READ_FIELDS',
  'WRITE_FIELDS',
  'MOVE_STEP',
  'SCHEDULE_FOLLOW_UP',
  'READ_TABLES',
] as const;

export function ToolFields({ form, error, isLocked, onChange }: AgentPartProps): ReactElement {
  const texts = useTexts(AGENTS);
  const names = useTexts(AGENT_TOOLS);
  const choose = (tool: (typeof TOOLS)[number], isChosen: boolean): void =>
    onChange({ tools: TOOLS.filter((each) => (each === tool ? isChosen : form.tools.includes(each))) });
  return (
    <Card title={texts.tools}>
      <p className={styles['soft']}>{texts.toolsHint}</p>
      {TOOLS.map((tool) => (
        <CheckField
          key={tool}
          label={names[tool]}
          checked={form.tools.includes(tool)}
          disabled={isLocked}
          onChange={(isChosen) => choose(tool, isChosen)}
        />
      ))}
      {form.tools.includes('READ_TABLES') && (
        <RecordsField
          label={texts.chosenTables}
          add={texts.addTable}
          noun="tables"
          ids={form.tables}
          search={findTables}
          name={({ name }) => name}
          about={({ description }) => description}
          Chosen={ChosenTable}
          onChange={(tables) => onChange({ tables })}
          isLocked={isLocked}
        />
      )}
      <p className={styles['problem']} role="alert">
        {explainField(error, 'tools') ?? explainField(error, 'tables')}
      </p>
    </Card>
  );
}

function ChosenTable({ id, onRemove }: ChosenProps): ReactElement {
  const { data: table } = useTable(id);
  return <ChosenRecord name={table?.name ?? '…'} onRemove={onRemove} />;
}
