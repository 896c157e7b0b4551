/** A job for the picture process. The answer contains only pixels: no metadata survives. */
export type PictureJob = {
  readonly bytes: Uint8Array;
  /** The accepted formats. The bytes decide about the format, not the name. */
  readonly formats: readonly string[];
  readonly resize: {
    readonly width?: number;
    readonly height?: number;
    readonly fit: 'cover' | 'inside' | 'fill';
    /** Whether a picture may become larger. By default it can only become smaller. */
    readonly enlarge?: boolean;
  } | null;
  /** Makes printed text easier to read: greyscale, full contrast, sharper edges. */
  readonly enhanceText?: boolean;
  readonly output: 'jpeg' | 'png' | 'webp' | 'avif';
  /** From 1 to 100; a PNG then gets fewer colours. By default the encoder's own quality, and all colours of a PNG. */
  readonly quality?: number;
};
/** Null if the bytes are not a picture of these formats. */
export type PictureAnswer = { readonly bytes: Uint8Array | null };
