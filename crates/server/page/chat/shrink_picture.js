// Makes large photographs smaller before they are sent: models scale them down anyway.

const BYTES_MAX = 3_500_000;
const SIDE_MAX = 2576;
/** Formats that models take. Others are converted where the browser can read them. */
const TAKEN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The picture in a size and format that models take; any other file as it is. */
export async function shrunk(file) {
  const isTaken = TAKEN.has(file.type);
  if (!file.type.startsWith("image/") || file.type === "image/svg+xml") return file;
  if (isTaken && (file.size <= BYTES_MAX || file.type === "image/gif")) return file;
  try {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, SIDE_MAX / Math.max(picture.width, picture.height));
    const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.9 });
    return isTaken && blob.size > file.size ? file : blob;
  } catch {
    // The server says what is wrong with it.
    return file;
  }
}
