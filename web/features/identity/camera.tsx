import { useRef } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { useCamera } from './use-camera.ts';

/** Shows the live camera picture and takes a photo. */
export function Camera({ onPicture }: { onPicture: (dataUrl: string) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const { problem, take, switchSide, retry } = useCamera(video, onPicture);
  if (problem) {
    return (
      <Notice tone="bad">
        <p>{problem}</p>
        <p className="mt-1 text-sm text-fog">You can upload a photo instead.</p>
        <Button tone="plain" className="mt-3" onClick={retry}>
          Try the camera again
        </Button>
      </Notice>
    );
  }
  return (
    <div>
      <div className="relative">
        {/* A live video without sound needs no captions. */}
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
        <Button tone="plain" onClick={switchSide}>
          Switch camera
        </Button>
      </div>
    </div>
  );
}
