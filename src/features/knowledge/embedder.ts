/** Chooses what computes vectors: the endpoint that the operator has configured, or else this process. */
import type { Kit } from '../../kit.ts';
import { createEndpointEmbedder } from './embedding-endpoint.ts';
import { localEmbedder, type Embedder } from './embedding.ts';

export const chooseEmbedder = ({ config, outbound }: Kit): Embedder =>
  config.embeddings ? createEndpointEmbedder(outbound, config.embeddings) : localEmbedder;
