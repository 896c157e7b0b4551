import { Check } from 'lucide-react';
import { type ChangeEvent, type DragEvent, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Camera } from './camera.tsx';
import { PHOTO_PRIVACY } from './id-choice.tsx';

/** Takes a photo of the licence by camera, from a file, or by drag and drop. */
export function PhotoStep({
  problem,
  onPicture,
  onFile,
}: {
  problem: string | null;
  onPicture: (dataUrl: string) => void;
  onFile: (file: File) => void;
}) {
  const [camera, setCamera] = useState(false);
  const [over, setOver] = useState(false);
  const bring = (event: DragEvent): void => {
    event.preventDefault();
    setOver(event.type === 'dragenter' || event.type === 'dragover');
    const file = event.type === 'drop' ? event.dataTransfer.files[0] : undefined;
    if (file) onFile(file);
  };
  const choose = (event: ChangeEvent<HTMLInputElement>): void => {
    const file = event.target.files?.[0];
    event.target.value = '';
    if (file) onFile(file);
  };
  return (
    <div className="space-y-4">
      <p className="text-fog">
        Take a photo of the front of your Australian driver licence. The name and date of birth must match your account.
      </p>
      {camera ? null : <Tips />}
      {problem ? (
        <Notice tone="bad">
          <p>{problem}</p>
        </Notice>
      ) : null}
      {camera ? <Camera onPicture={onPicture} /> : null}
      {/* Drag and drop is a shortcut for the mouse. The button inside does the same by keyboard. */}
      <div
        onDragEnter={bring}
        onDragOver={bring}
        onDragLeave={bring}
        onDrop={bring}
        data-drop
        className={`flex flex-wrap items-center gap-3 border-2 border-dashed p-4 transition-colors ${over ? 'border-signal bg-deck' : 'border-line'}`}
      >
        {camera ? null : (
          <Button className="max-sm:w-full" onClick={() => setCamera(true)}>
            Use camera
          </Button>
        )}
        <label className="inline-flex min-h-12 cursor-pointer items-center justify-center border-2 max-sm:w-full border-edge bg-deck px-6 font-bold has-[:focus-visible]:outline-3 has-[:focus-visible]:outline-offset-3 has-[:focus-visible]:outline-signal hover:border-chalk">
          Upload a photo
          <input type="file" accept="image/*" className="sr-only" onChange={choose} />
        </label>
        <p className="w-full text-sm text-dust max-sm:hidden">or drop a photo here</p>
      </div>
      <p className="text-sm text-fog">{PHOTO_PRIVACY}</p>
      <Notice tone="warn">
        <p className="text-sm">
          A mismatch may cause a permanent ban and cancellation without refund. Someone on our team always checks first.
        </p>
      </Notice>
    </div>
  );
}

const TIPS = ['All four corners', 'No glare', 'Every word sharp'];

/** Tips for a readable photo. */
function Tips() {
  return (
    <div className="flex items-center gap-5 bg-deck p-4">
      <span
        aria-hidden="true"
        className="grid aspect-[8/5] w-32 shrink-0 grid-cols-[1fr_2fr] gap-2 rounded-md border-2 border-edge p-2"
      >
        <span className="bg-edge" />
        <span className="flex flex-col justify-evenly">
          {['w-full', 'w-3/4', 'w-5/6', 'w-1/2'].map((width) => (
            <span key={width} className={`h-1 bg-edge ${width}`} />
          ))}
        </span>
      </span>
      <ul className="space-y-1 text-sm">
        {TIPS.map((tip) => (
          <li key={tip} className="flex items-center gap-2">
            <Check aria-hidden="true" className="size-4 shrink-0 text-good" />
            {tip}
          </li>
        ))}
      </ul>
    </div>
  );
}
