/** Has vectors computed by an endpoint that understands the embeddings call of OpenAI. */
import type { ModelEndpoint } from '../../config.ts';
import { EndpointError, postJson } from '../../ai/endpoint.ts';
import type { Outbound } from '../../platform/outside/outbound.ts';
import type { Embedder } from './embedding.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// Passages of one call. Their vectors in JSON have some 300 kB, which are read within milliseconds.
const BATCH = 16;
// The vectors of a batch in JSON, with the most numbers that a vector may have.
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DIMENSIONS = declareLimit(4_096, {
  topic: 'Knowledge',
  what: 'Dimensions of an embedding',
  beyond: 'the answer is refused',
});

export function createEndpointEmbedder(outbound: Outbound, { baseUrl, apiKey, model }: ModelEndpoint): Embedder {
  async function embedBatch(input: string[], signal: AbortSignal): Promise<Float32Array[]> {
    const body = { model, input, encoding_format: 'float' };
    const call = {
      server: 'embedding endpoint',
      url: `${baseUrl}/embeddings`,
      apiKey,
      body,
      maxBytes: MAX_BYTES,
      signal,
    };
    return readVectors(await postJson(outbound.operator, call), input.length);
  }

  return {
    model: `endpoint ${model}`,
    // A model knows meanings, so it is right more often than the words alone.
    weight: 2,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH)
        vectors.push(...(await embedBatch(texts.slice(at, at + BATCH), signal)));
      if (new Set(vectors.map(({ length }) => length)).size > 1) throw malformed();
      return vectors;
    },
  };
}

const malformed = (): EndpointError => new EndpointError('The answer of the embedding endpoint cannot be understood.');

/** Reads the vectors in the order of the texts. The endpoint may list them in any order. */
function readVectors(answer: unknown, count: number): Float32Array[] {
  const vectors = new Map<number, Float32Array>();
  for (const [at, entry] of readList(answer).entries()) {
    const { embedding, index = at } = entry as { embedding?: unknown; index?: unknown };
    if (typeof index !== 'number' || !Array.isArray(embedding)) throw malformed();
    vectors.set(index, normalize(embedding));
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index);
    if (!vector) throw malformed();
    return vector;
  });
}

function readList(answer: unknown): unknown[] {
  const { data } = (answer ?? {}) as { data?: unknown };
  if (!Array.isArray(data)) throw malformed();
  return data.map((entry: unknown) => entry ?? {});
}

/** Returns the vector with length 1, because the search compares directions only. */
function normalize(values: unknown[]): Float32Array {
  const isValid =
    values.length > 0 && values.length <= MAX_DIMENSIONS && values.every((value) => Number.isFinite(value));
  if (!isValid) throw malformed();
  const vector = Float32Array.from(values as number[]);
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length)) throw malformed();
  return length === 0 ? vector : vector.map((value) => value / length);
}
