/** What the picture process is asked, and what it answers. Pixels in, pixels out: no metadata survives. */
export type PictureJob = {
  readonly bytes: Uint8Array;
  /** What the picture may be; told by its bytes, never by its name. */
  readonly formats: readonly string[];
  readonly resize: {
    readonly width?: number;
    readonly height?: number;
    readonly fit: 'cover' | 'inside' | 'fill';
  } | null;
  readonly output: 'jpeg' | 'png' | 'webp' | 'avif';
  readonly quality: number;
};
/** null: it cannot be read as a picture of these formats. */
export type PictureAnswer = { readonly bytes: Uint8Array | null };
