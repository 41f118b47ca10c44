/** Reads the XML in which an S3-compatible service lists its objects (ListObjectsV2). */
export interface Listing {
  files: { key: string; writtenMs: number }[];
  /** Asks for the next page; null after the last one. */
  next: string | null;
}

/** Null when the text is no complete listing. */
export async function parseListing(xml: string): Promise<Listing | null> {
  // Listings are rare, so the parser is loaded with the first one.
  const { SaxesParser } = await import('saxes');
  const listing: Listing = { files: [], next: null };
  let text = '';
  let file = { key: '', writtenMs: Number.NaN };
  let isListing = false;
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => {
    text = '';
    isListing ||= name === 'ListBucketResult';
    if (name === 'Contents') file = { key: '', writtenMs: Number.NaN };
  });
  parser.on('text', (more) => (text += more));
  parser.on('closetag', ({ name }) => {
    if (name === 'Key') file.key = text;
    else if (name === 'LastModified') file.writtenMs = Date.parse(text);
    else if (name === 'NextContinuationToken') listing.next = text;
    // A file whose age is not known is never swept.
    else if (name === 'Contents' && !Number.isNaN(file.writtenMs)) listing.files.push(file);
  });
  try {
    parser.write(xml).close();
  } catch {
    // Failure policy: the caller reports an answer that is not well-formed.
    return null;
  }
  return isListing ? listing : null;
}
