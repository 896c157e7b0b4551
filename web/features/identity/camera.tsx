import { useEffect, useRef, useState } from 'react';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { takePicture } from './picture.ts';

const IDEAL = { width: { ideal: 1280 }, height: { ideal: 720 } } as const;
const DENIED = 'Camera Access Denied - Please allow camera access in your browser settings.';
const NOT_READY = 'Camera Error - Camera not properly initialized. Please close and try again.';

/** Shows the live camera picture and takes a photo. */
export function Camera({ onPicture }: { onPicture: (dataUrl: string) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [facing, setFacing] = useState<'environment' | 'user'>('environment');
  const [tries, setTries] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    let stream: MediaStream | null = null;
    let gone = false;
    // Undefined on insecure origins, despite the type.
    const media: MediaDevices | undefined = navigator.mediaDevices;
    const request =
      media?.getUserMedia({ video: { facingMode: facing, ...IDEAL } }) ?? Promise.reject(new Error('no camera'));
    request.then(
      (opened) => {
        stream = opened;
        if (gone) opened.getTracks().forEach((track) => track.stop());
        else if (video.current) video.current.srcObject = opened;
      },
      () => setProblem(DENIED),
    );
    return () => {
      gone = true;
      stream?.getTracks().forEach((track) => track.stop());
    };
  }, [facing, tries]);

  function take(): void {
    try {
      const picture = video.current ? takePicture(video.current) : null;
      if (picture === null) setProblem(NOT_READY);
      else onPicture(picture);
    } catch (error) {
      setProblem(describeError(error, 'Failed to capture image. Please try again.'));
    }
  }

  if (problem) {
    return (
      <Notice tone="bad">
        <p>{problem}</p>
        <p className="mt-1 text-sm text-fog">You can upload a photo instead.</p>
        <Button
          tone="plain"
          className="mt-3"
          onClick={() => {
            setProblem(null);
            setTries(tries + 1);
          }}
        >
          Try the camera again
        </Button>
      </Notice>
    );
  }
  return (
    <div>
      <div className="relative">
        {/* Live video without sound: there is nothing to caption. */}
        <video
          ref={video}
          autoPlay
          playsInline
          muted
          className="aspect-video w-full bg-night object-cover"
          aria-label="Camera picture"
        />
        <div
          aria-hidden="true"
          className="pointer-events-none absolute inset-[9%] border-2 border-dashed border-chalk/70"
        />
      </div>
      <p className="mt-2 text-sm text-fog">Fill the frame with the front of your licence, without glare.</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={take}>Take photo</Button>
        <Button tone="plain" onClick={() => setFacing(facing === 'user' ? 'environment' : 'user')}>
          Switch camera
        </Button>
      </div>
    </div>
  );
}
