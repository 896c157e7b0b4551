import { useState } from 'react';
import { describeError } from '#web/lib/errors.ts';
import { uploadPhoto } from './upload.ts';

/** Uploads one photo at a time. `part`: the fraction that has been sent, or null if there is no upload. `problem`: why the last upload failed. */
export function usePhotoUpload(onUploaded: (name: string) => void): {
  readonly part: number | null;
  readonly problem: string | null;
  upload(file: File | undefined): Promise<void>;
} {
  const [part, setPart] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  async function upload(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    setProblem(null);
    setPart(0);
    try {
      onUploaded(await uploadPhoto(file, setPart));
    } catch (error) {
      setProblem(describeError(error, 'We couldn’t upload the photo. Use a JPEG, PNG or WebP under 10 MB.'));
    } finally {
      setPart(null);
    }
  }
  return { part, problem, upload };
}
