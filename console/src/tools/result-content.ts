/** A part of the result of a call that is shown as what it is. */
export type ResultPart =
  | { readonly kind: "image"; readonly src: string; readonly label: string }
  | { readonly kind: "text"; readonly text: string; readonly label: string };

/** Images that a browser shows without running anything. An SVG in an `img` element cannot run scripts or load files. */
const IMAGE_TYPES = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/svg+xml",
] as const;

const BASE64 = /^[A-Za-z0-9+/\r\n]+={0,2}\s*$/;
const SVG = /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/;

/** The images and texts in a result: of an HTTP response, of MCP content, or in the fields of a built-in tool's result. */
export function partsOf(result: Readonly<Record<string, unknown>>): readonly ResultPart[] {
  const { body, content, contentType, encoding, oversized, preview } = result;
  if (oversized === true)
    return typeof preview === "string" ? [textPart(preview, "Beginning")] : [];
  if (Array.isArray(content)) return content.flatMap(mcpPart);
  if (typeof body === "string" && typeof contentType === "string") {
    return httpPart(body, contentType, encoding === "base64");
  }
  return Object.entries(result).flatMap(([name, value]) => {
    if (typeof value !== "string") return [];
    if (SVG.test(value)) return [svgPart(value, name)];
    return value.includes("\n") ? [textPart(value, name)] : [];
  });
}

function textPart(text: string, label: string): ResultPart {
  return { kind: "text", text, label };
}

function svgPart(svg: string, label: string): ResultPart {
  const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg.toWellFormed())}`;
  return { kind: "image", src, label };
}

function httpPart(body: string, contentType: string, isBase64: boolean): readonly ResultPart[] {
  if (isBase64) return imagePart(body, contentType);
  return SVG.test(body) && mediaTypeOf(contentType) === "image/svg+xml"
    ? [svgPart(body, "body")]
    : [textPart(body, contentType)];
}

function imagePart(base64: string, contentType: string): readonly ResultPart[] {
  const type = IMAGE_TYPES.find((one) => one === mediaTypeOf(contentType));
  return type === undefined || !BASE64.test(base64)
    ? []
    : [{ kind: "image", src: `data:${type};base64,${base64.replaceAll(/\s/g, "")}`, label: type }];
}

function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

function mcpPart(block: unknown, index: number): readonly ResultPart[] {
  if (typeof block !== "object" || block === null) return [];
  const text: unknown = Reflect.get(block, "text");
  if (typeof text === "string") return [textPart(text, `Content ${index + 1}`)];
  const data: unknown = Reflect.get(block, "data");
  const mimeType: unknown = Reflect.get(block, "mimeType");
  return typeof data === "string" && typeof mimeType === "string" ? imagePart(data, mimeType) : [];
}
