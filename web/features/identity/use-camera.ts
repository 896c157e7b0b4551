import { type RefObject, useEffect, useState } from 'react';
import { describeError } from '#web/lib/errors.ts';
import { takePicture } from './picture.ts';

const IDEAL = { width: { ideal: 1280 }, height: { ideal: 720 } } as const;
const DENIED = 'Camera Access Denied - Please allow camera access in your browser settings.';
const NOT_READY = 'Camera Error - Camera not properly initialized. Please close and try again.';

/** Shows the camera in a video element, and takes photos. `problem`: why that is not possible, or null. */
export function useCamera(video: RefObject<HTMLVideoElement | null>, onPicture: (dataUrl: string) => void) {
  const [facing, setFacing] = useState<'environment' | 'user'>('environment');
  const [attempt, setAttempt] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const show = (stream: MediaStream): void => {
      if (video.current) video.current.srcObject = stream;
    };
    return openCamera(facing, show, () => setProblem(DENIED));
  }, [facing, attempt, video]);
  return {
    problem,
    take(): void {
      try {
        const picture = video.current ? takePicture(video.current) : null;
        if (picture === null) setProblem(NOT_READY);
        else onPicture(picture);
      } catch (error) {
        setProblem(describeError(error, 'Failed to capture image. Please try again.'));
      }
    },
    switchSide: () => setFacing(facing === 'user' ? 'environment' : 'user'),
    retry(): void {
      setProblem(null);
      setAttempt(attempt + 1);
    },
  };
}

/** Opens a camera and passes its stream to `show`. Returns a function that closes the camera. */
function openCamera(
  facing: 'environment' | 'user',
  show: (stream: MediaStream) => void,
  onDenied: () => void,
): () => void {
  let stream: MediaStream | null = null;
  let closed = false;
  const close = (): void => {
    closed = true;
    stream?.getTracks().forEach((track) => track.stop());
  };
  // The type is wrong about insecure origins, where it is undefined.
  const media: MediaDevices | undefined = navigator.mediaDevices;
  const request =
    media?.getUserMedia({ video: { facingMode: facing, ...IDEAL } }) ?? Promise.reject(new Error('no camera'));
  request.then((opened) => {
    stream = opened;
    if (closed) close();
    else show(opened);
  }, onDenied);
  return close;
}
