/** What a request has used of a model. */
export interface AiUse {
  model: string;
  /** Null when the model has not said it. */
  input_tokens: number | null;
  output_tokens: number | null;
  /** Null without prices, or when the tokens are not known. */
  cost: { amount: number; currency: string } | null;
}
