export type PreviewKind = "markdown" | "csv" | "image" | "html" | "text";

const TEXT_TYPES = new Set(["application/json", "application/xml", "application/yaml"]);

/** How a file of a media type is previewed; null if it is only offered as a download. */
export function previewKindOf(format: string): PreviewKind | null {
  const type = format.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "text/markdown") return "markdown";
  if (type === "text/csv") return "csv";
  if (type === "text/html") return "html";
  if (/^image\/(?:svg\+xml|png|jpeg|gif|webp|avif)$/u.test(type)) return "image";
  if (type.startsWith("text/") || TEXT_TYPES.has(type)) return "text";
  return null;
}

/** The media type of an image, without its parameters. */
export function imageTypeOf(format: string): string {
  return format.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
