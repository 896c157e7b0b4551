/** A job for the picture process and its answer. Only pixels pass through: no metadata survives. */
export type PictureJob = {
  readonly bytes: Uint8Array;
  /** The accepted formats, detected from the bytes, not the name. */
  readonly formats: readonly string[];
  readonly resize: {
    readonly width?: number;
    readonly height?: number;
    readonly fit: 'cover' | 'inside' | 'fill';
    /** Default: a picture is only made smaller. */
    readonly enlarge?: boolean;
  } | null;
  /** Makes printed text easier to read: greyscale, full contrast, sharper edges. */
  readonly enhanceText?: boolean;
  readonly output: 'jpeg' | 'png' | 'webp' | 'avif';
  /** 1 to 100; a PNG gets fewer colours. Default: the encoder's, and every colour of a PNG. */
  readonly quality?: number;
};
/** null: the bytes are not a picture of these formats. */
export type PictureAnswer = { readonly bytes: Uint8Array | null };
