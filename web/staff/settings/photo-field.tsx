import { type Control, useController } from 'react-hook-form';
import type { z } from 'zod';
import type { detailsFormSchema } from '#rules/business/settings-change.ts';
import { PHOTO_TYPES } from '#web/data/photos/upload.ts';
import { usePhotoUpload } from '#web/data/photos/use-photo-upload.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';

type Details = Control<z.input<typeof detailsFormSchema>, unknown, z.output<typeof detailsFormSchema>>;

/** The photo that belongs to the directions. Staff can choose another one or remove it. It is saved with the other details. */
export function PhotoField({ control }: { control: Details }) {
  const { field } = useController({ control, name: 'directionsPhoto' });
  const { part, problem, upload } = usePhotoUpload(field.onChange);
  return (
    <div className="space-y-3 sm:col-span-2">
      {field.value === '' ? null : (
        <>
          <img
            src={`/storage/v1/render/image/public/rooms/${field.value}?width=480&resize=contain&format=webp`}
            alt="Directions to the room"
            width={480}
            height={360}
            className="aspect-[4/3] w-full max-w-sm bg-deck object-contain"
          />
          <Button tone="plain" onClick={() => field.onChange('')}>
            Remove photo
          </Button>
        </>
      )}
      <Field
        label={field.value === '' ? 'Add directions photo' : 'Replace directions photo'}
        type="file"
        accept={PHOTO_TYPES}
        hint="Everyone can see it, on the home page and with a booking. Up to 10 MB. We store only the picture, not where or when it was taken."
        disabled={part !== null}
        onChange={(event) => {
          const [file] = Array.from(event.target.files ?? []);
          event.target.value = '';
          void upload(file);
        }}
      />
      {part === null ? null : (
        <p className="flex items-center gap-3 text-sm text-fog">
          <progress value={part} max={1} aria-label="Upload" className="h-2 w-40 accent-signal" />
          Uploading, {Math.round(part * 100)}%
        </p>
      )}
      {problem === null ? null : (
        <Notice tone="bad">
          <p>{problem}</p>
        </Notice>
      )}
    </div>
  );
}
