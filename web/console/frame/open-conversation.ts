/** The address of an open conversation, with or without what stands before it. The group is its id. */
export const OPEN_CONVERSATION = /\/inbox\/[^/]+\/([0-9a-f]{24})$/;
