/** Records as the operations of the API answer them. Their shapes are checked there, so a door reads fields by name. */
// oxlint-disable-next-line typescript/no-explicit-any
export type JsonObject = Record<string, any>;
