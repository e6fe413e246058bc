/** What the extension of a file's name says about it, and the other way round: the first of each type. */
const TYPES: readonly (readonly [extension: string, type: string])[] = [
  ["md", "text/markdown"],
  ["txt", "text/plain"],
  ["html", "text/html"],
  ["csv", "text/csv"],
  ["css", "text/css"],
  ["json", "application/json"],
  ["xml", "application/xml"],
  ["xml", "text/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["js", "text/javascript"],
  ["pdf", "application/pdf"],
  ["zip", "application/zip"],
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["svg", "image/svg+xml"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["mp4", "video/mp4"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
];
/** RFC 6838 names, without parameters. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/;
const EXTENSION = /\.([a-z0-9]{1,8})$/i;

/** A media type as agents give it, tidied; null for none or what is none. */
export function mediaTypeOf(given: string): string | null {
  const [type = ""] = given.toLowerCase().split(";", 1);
  return MEDIA_TYPE.test(type.trim()) ? type.trim() : null;
}

/** The extension of a name without its dot; null where it has none. */
export function extensionOf(name: string): string | null {
  return EXTENSION.exec(name)?.[1]?.toLowerCase() ?? null;
}

export function extensionFor(mediaType: string): string | null {
  if (mediaType.endsWith("+json")) return "json";
  return TYPES.find(([, type]) => type === mediaType)?.[0] ?? null;
}

export function typeFor(extension: string): string | null {
  return TYPES.find(([known]) => known === extension)?.[1] ?? null;
}

/** The format of a file; text is UTF-8, as it is written here. */
export function formatOf(mediaType: string): string {
  return mediaType.startsWith("text/") ? `${mediaType}; charset=utf-8` : mediaType;
}
