export const MEGABYTE = 1024 * 1024;

/** The most bytes that the platform accepts of a file, by what the browser calls it. */
export const MOST_BYTES = { image: 5 * MEGABYTE, audio: 16 * MEGABYTE, video: 16 * MEGABYTE, other: 100 * MEGABYTE };
