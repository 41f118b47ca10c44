/** With what an agent answers: instructions, a model and knowledge, or a server of the company. */
import type { ReactElement } from 'react';
import { findKnowledge, useKnowledgeItem } from '../../records/knowledge.ts';
import { useTexts } from '../../texts/texts.ts';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FieldGrid } from '../../ui/field-grid.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { ChosenRecord, RecordsField, type ChosenProps } from '../../ui/records-field.tsx';
import type { AgentPartProps } from './agent-form.ts';
import styles from './agents.module.css';
import { McpFields } from './mcp/mcp-fields.tsx';
import { AGENTS, KNOWLEDGE_SCOPES } from './texts.ts';
import { ToolFields } from './tool-fields.tsx';

export function AnswerFields(props: AgentPartProps): ReactElement {
  return props.form.type === 'EXTERNAL' ? <ServerFields {...props} /> : <OwnFields {...props} />;
}

function ServerFields({ form, error, isLocked, onChange }: AgentPartProps): ReactElement {
  const texts = useTexts(AGENTS);
  return (
    <Card title={texts.answers}>
      <TextField
        label={texts.url}
        hint={texts.urlHint}
        type="url"
        placeholder="https://"
        value={form.url}
        disabled={isLocked}
        onChange={(url) => onChange({ url })}
        error={explainField(error, 'url')}
      />
    </Card>
  );
}

function OwnFields(props: AgentPartProps): ReactElement {
  const { form, error, isLocked, onChange } = props;
  const texts = useTexts(AGENTS);
  return (
    <>
      <Card title={texts.answers}>
        <TextArea
          label={texts.instructions}
          hint={texts.instructionsHint}
          rows={8}
          value={form.instructions}
          disabled={isLocked}
          onChange={(instructions) => onChange({ instructions })}
          error={explainField(error, 'instructions')}
        />
        <TextField
          label={texts.model}
          hint={texts.modelHint}
          value={form.model}
          disabled={isLocked}
          onChange={(model) => onChange({ model })}
          error={explainField(error, 'model')}
        />
        <CheckField
          label={texts.vision}
          hint={texts.visionHint}
          checked={form.vision}
          disabled={isLocked}
          onChange={(vision) => onChange({ vision })}
          error={explainField(error, 'vision')}
        />
        <TextField
          label={texts.transcription}
          hint={texts.transcriptionHint}
          value={form.transcriptionModel}
          disabled={isLocked}
          onChange={(transcriptionModel) => onChange({ transcriptionModel })}
          error={explainField(error, 'transcription_model')}
        />
        <PriceFields {...props} />
      </Card>
      <KnowledgeFields {...props} />
      <ToolFields {...props} />
      <McpFields {...props} />
    </>
  );
}

function PriceFields({ form, error, isLocked, onChange }: AgentPartProps): ReactElement {
  const texts = useTexts(AGENTS);
  const price = { inputMode: 'decimal', disabled: isLocked } as const;
  return (
    <FieldGrid>
      <TextField
        {...price}
        label={texts.inputPrice}
        hint={texts.pricesHint}
        value={form.inputPrice}
        onChange={(inputPrice) => onChange({ inputPrice })}
        error={explainField(error, 'prices.input')}
      />
      <TextField
        {...price}
        label={texts.outputPrice}
        value={form.outputPrice}
        onChange={(outputPrice) => onChange({ outputPrice })}
        error={explainField(error, 'prices.output')}
      />
      <TextField
        {...price}
        label={texts.transcriptionPrice}
        value={form.transcriptionPrice}
        onChange={(transcriptionPrice) => onChange({ transcriptionPrice })}
        error={explainField(error, 'prices.transcription')}
      />
      <TextField
        label={texts.currency}
        value={form.currency}
        disabled={isLocked}
        onChange={(currency) => onChange({ currency })}
        error={explainField(error, 'prices.currency')}
      />
    </FieldGrid>
  );
}

const SCOPES = ['ALL', 'LISTED'] as const;

function KnowledgeFields({ form, error, isLocked, onChange }: AgentPartProps): ReactElement {
  const texts = useTexts(AGENTS);
  const scopes = useTexts(KNOWLEDGE_SCOPES);
  const isListed = form.scope === 'LISTED';
  return (
    <Card title={texts.knowledge}>
      <SelectField
        label={texts.scope}
        value={form.scope}
        options={SCOPES.map((value) => ({ value, label: scopes[value] }))}
        disabled={isLocked}
        onChange={(scope) => onChange({ scope })}
        error={explainField(error, 'knowledge')}
      />
      {isListed && form.knowledge.length === 0 && <p className={styles['soft']}>{texts.readsNothing}</p>}
      {isListed && (
        <RecordsField
          label={texts.chosenItems}
          add={texts.addItem}
          noun="knowledge"
          ids={form.knowledge}
          search={findKnowledge}
          name={({ name }) => name}
          about={({ tags }) => tags.join(', ')}
          Chosen={ChosenItem}
          onChange={(knowledge) => onChange({ knowledge })}
          isLocked={isLocked}
        />
      )}
    </Card>
  );
}

function ChosenItem({ id, onRemove }: ChosenProps): ReactElement {
  const { data: item } = useKnowledgeItem(id);
  return <ChosenRecord name={item?.name ?? '…'} onRemove={onRemove} />;
}
