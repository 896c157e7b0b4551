import { useEffect, useRef, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';

const WIDTH = 1280;
const HEIGHT = 720;
const QUALITY = 0.9;

/** The live picture of the camera and the moment it is taken. */
export function Camera({ onPicture }: { onPicture: (dataUrl: string) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [facing, setFacing] = useState<'environment' | 'user'>('environment');
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    let stream: MediaStream | null = null;
    let gone = false;
    setProblem(null);
    const media: MediaDevices | undefined = navigator.mediaDevices;
    const asked =
      media?.getUserMedia({ video: { facingMode: facing, width: { ideal: WIDTH }, height: { ideal: HEIGHT } } }) ??
      Promise.reject(new Error('no camera'));
    asked.then(
      (opened) => {
        stream = opened;
        if (gone) return opened.getTracks().forEach((track) => track.stop());
        if (video.current) video.current.srcObject = opened;
        return undefined;
      },
      () => setProblem('Camera Access Denied - Please allow camera access in your browser settings.'),
    );
    return () => {
      gone = true;
      stream?.getTracks().forEach((track) => track.stop());
    };
  }, [facing]);

  function take(): void {
    const source = video.current;
    if (!source || source.videoWidth === 0)
      return setProblem('Camera Error - Camera not properly initialized. Please close and try again.');
    const canvas = document.createElement('canvas');
    canvas.width = source.videoWidth;
    canvas.height = source.videoHeight;
    const brush = canvas.getContext('2d');
    if (!brush) return setProblem('Failed to capture image. Please try again.');
    brush.drawImage(source, 0, 0);
    return onPicture(canvas.toDataURL('image/jpeg', QUALITY));
  }

  if (problem) {
    return (
      <Notice tone="bad">
        <p>{problem}</p>
      </Notice>
    );
  }
  return (
    <div>
      {/* A live picture of one's own ID has no words to caption. */}
      <video
        ref={video}
        autoPlay
        playsInline
        muted
        className="aspect-video w-full bg-night object-cover"
        aria-label="Camera picture"
      />
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={take}>Take photo</Button>
        <Button tone="plain" onClick={() => setFacing(facing === 'user' ? 'environment' : 'user')}>
          Switch camera
        </Button>
      </div>
    </div>
  );
}
