/** Removes a pipeline. When conversations are in its steps, it asks first where they go. */
import { isParleyError, type Pipeline } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { usePipelines } from '../../records/company.ts';
import { useTexts } from '../../texts/texts.ts';
import { SelectField } from '../../ui/field.tsx';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { forgetPipeline } from './field-lists.ts';
import { PIPELINES } from './texts.ts';

interface RemovePipelineProps {
  pipeline: Pipeline;
  onRemoved(): void;
}

export function RemovePipeline({ pipeline, onRemoved }: RemovePipelineProps): ReactElement {
  const texts = useTexts(PIPELINES);
  const [isUsed, setUsed] = useState(false);
  const [replacement, setReplacement] = useState('');
  const others = usePipelines().filter(({ _id }) => _id !== pipeline._id);
  const steps = others.flatMap((other) =>
    other.steps.map(({ _id, name }) => ({ value: _id, label: `${other.name}: ${name}` })),
  );
  const remove = async (): Promise<void> => {
    try {
      await parley.pipelines.delete(pipeline._id, { replacement: replacement || undefined });
    } catch (error) {
      setUsed(isParleyError(error) && error.code === 'STEP_IN_USE');
      throw error;
    }
  };
  return (
    <>
      {isUsed && (
        <SelectField<string>
          label={texts.replacement}
          value={replacement}
          options={[{ value: '', label: texts.choose }, ...steps]}
          onChange={setReplacement}
        />
      )}
      <RemoveButton
        meaning={texts.removeMeaning}
        confirmation={texts.reallyRemove}
        remove={remove}
        onRemoved={() => {
          forgetPipeline(pipeline._id);
          onRemoved();
        }}
      />
    </>
  );
}
