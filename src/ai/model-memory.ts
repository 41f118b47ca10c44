/** What a process learns about the models that it calls. */

/** Companies choose the models of their agents, so the list has an end. An installation uses a few. */
const MOST_MODELS = 1_000;

export interface ModelMemory {
  remember(key: string): void;
  knows(key: string): boolean;
}

export function createModelMemory(): ModelMemory {
  const learned = new Set<string>();
  return {
    remember(key) {
      // The model that was seen last stands at the end, and the one that was not seen for the longest time is forgotten.
      learned.delete(key);
      learned.add(key);
      const [oldest] = learned;
      if (learned.size > MOST_MODELS && oldest !== undefined) learned.delete(oldest);
    },
    knows: (key) => learned.has(key),
  };
}
