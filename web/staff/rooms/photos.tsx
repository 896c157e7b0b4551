import { PHOTO_TYPES } from '#web/data/photos/upload.ts';
import { usePhotoUpload } from '#web/data/photos/use-photo-upload.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';

const MOST = 8;
const getAddress = (photo: string): string =>
  photo.startsWith('drawn-')
    ? `/rooms/${photo.slice('drawn-'.length)}-480.webp`
    : `/storage/v1/render/image/public/rooms/${photo}?width=480&height=300&resize=cover&format=webp`;

/** The photos of a room. Staff can upload and remove photos, and choose the first one. */
export function Photos({
  photos,
  onChange,
}: {
  photos: readonly string[];
  onChange: (photos: readonly string[]) => void;
}) {
  const { part, problem, upload } = usePhotoUpload((name) => onChange([...photos, name]));
  return (
    <fieldset className="space-y-4">
      <legend className="mb-1.5 text-sm font-semibold">Photos</legend>
      {photos.length === 0 ? <p className="text-fog">No photos yet. The card shows the room’s sign.</p> : null}
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {photos.map((photo, index) => (
          <Photo
            key={photo}
            photo={photo}
            number={index + 1}
            onFirst={() => onChange([photo, ...photos.toSpliced(index, 1)])}
            onRemove={() => onChange(photos.toSpliced(index, 1))}
          />
        ))}
      </ul>
      {photos.length < MOST ? (
        <label className="block text-sm font-semibold">
          Add photo{' '}
          <input
            type="file"
            accept={PHOTO_TYPES}
            disabled={part !== null}
            onChange={(event) => {
              void upload(event.target.files?.[0]);
              event.target.value = '';
            }}
            className="mt-1.5 block w-full border border-edge bg-night p-3 font-normal file:mr-4 file:border-0 file:bg-deck file:px-4 file:py-2 file:font-bold file:text-chalk"
          />
        </label>
      ) : null}
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
    </fieldset>
  );
}

function Photo({
  photo,
  number,
  onFirst,
  onRemove,
}: {
  photo: string;
  number: number;
  onFirst: () => void;
  onRemove: () => void;
}) {
  return (
    <li className="space-y-2">
      <img
        src={getAddress(photo)}
        alt={`Number ${number}`}
        width={480}
        height={300}
        className="aspect-[16/10] w-full bg-deck object-cover"
      />
      <div className="flex flex-wrap gap-2">
        {number === 1 ? (
          <span className="py-2.5 text-sm text-fog">Shown on the card</span>
        ) : (
          <Button tone="plain" aria-label={`Show first, photo ${number}`} onClick={onFirst}>
            Show first
          </Button>
        )}
        <Button tone="quiet" aria-label={`Remove, photo ${number}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </li>
  );
}
