/** The longest edge of the uploaded photo, in pixels. Photos of a phone are larger than needed, and slow to upload on a weak connection. */
const EDGE_MAX = 2_000;
const QUALITY = 0.9;
export const UNREADABLE = 'This picture could not be opened. Please use a JPEG or PNG photo.';

/**
 * Converts a file to a JPEG data URL whose edges have at most `EDGE_MAX` pixels. Throws an error with a message for people if the browser
 * cannot open the file.
 */
export async function readPicture(file: File): Promise<string> {
  const address = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = address;
    await image.decode().catch(() => {
      throw new Error(UNREADABLE);
    });
    return draw(image, image.naturalWidth, image.naturalHeight);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Takes a photo from the camera; null until the camera delivers a picture. */
export function takePicture(video: HTMLVideoElement): string | null {
  return video.videoWidth === 0 ? null : draw(video, video.videoWidth, video.videoHeight);
}

function draw(source: CanvasImageSource, width: number, height: number): string {
  const scale = Math.min(1, EDGE_MAX / Math.max(width, height, 1));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const brush = canvas.getContext('2d');
  if (!brush) throw new Error('Failed to capture image. Please try again.');
  brush.drawImage(source, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', QUALITY);
}
