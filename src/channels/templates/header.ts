/** Finds the attachments that the headers of a template show: that of the message, or those of the cards of its carousel. */
import type { GivenComponent } from './given.ts';

/** An attachment that the parameters name. */
export interface HeaderFile {
  attachment: string;
  kind: 'IMAGE' | 'VIDEO' | 'DOCUMENT';
  /** The card whose header it is; null for the header of the message. */
  card: number | null;
  /** Where the request names it, after the list of components. */
  path: string;
}

const ATTACHMENT_ID = /^[0-9a-f]{24}$/;

/** Returns true for an id that is not one of the network, which has only digits and is shorter. */
export const isAttachmentId = (id: string | undefined): id is string => id !== undefined && ATTACHMENT_ID.test(id);

// The header of the message and those of ten cards. Parameters that name more files fit no template, so the others need not be looked up.
export const MOST_FILES = 11;

/** Returns the attachments that the parameters name. Other ids are those of files at the network. */
export const findHeaderFiles = (given: readonly GivenComponent[]): HeaderFile[] =>
  findNamedFiles(given)
    .filter(({ attachment }) => isAttachmentId(attachment))
    .slice(0, MOST_FILES);

/** Returns all files that the parameters name by an id, whether of an attachment or of a file at the network. */
export const findNamedFiles = (given: readonly GivenComponent[]): HeaderFile[] => given.flatMap(findFilesOf);

const findFilesOf = ({ parameters, card }: GivenComponent, place: number): HeaderFile[] =>
  parameters.flatMap(({ imageId, image, video, document }, index) => {
    const named = [
      { kind: 'IMAGE', property: 'imageId', id: imageId },
      { kind: 'IMAGE', property: 'image.id', id: image?.id },
      { kind: 'VIDEO', property: 'video.id', id: video?.id },
      { kind: 'DOCUMENT', property: 'document.id', id: document?.id },
    ] as const;
    return named.flatMap(({ kind, property, id }) =>
      id !== undefined
        ? [{ attachment: id, kind, card: card ?? null, path: `[${place}].parameters[${index}].${property}` }]
        : [],
    );
  });
