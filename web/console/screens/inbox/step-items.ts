/** The steps of all pipelines as the items of a menu. */
import type { Pipeline } from '@parley/sdk';
import type { MenuItem } from '../../ui/menu.tsx';

export const listStepItems = (
  pipelines: readonly Pipeline[],
  current: string | null,
  onSelect: (step: string) => void,
): MenuItem[] =>
  pipelines.flatMap(({ name, steps }) =>
    steps.map((step, index) => ({
      key: step._id,
      label: step.name,
      isChosen: step._id === current,
      // Steps of the only pipeline need no name above them.
      ...(index === 0 && pipelines.length > 1 ? { heading: name } : {}),
      onSelect: () => onSelect(step._id),
    })),
  );
