import type { Artifact, Part } from "@a2a-js/sdk";
import type { Json } from "../../kernel/json.ts";
import { createFileNamer, toFileStem } from "../../tasks/model/file-name.ts";

/** A file to be made of an artifact. `url`: its bytes lie elsewhere. */
export interface ArtifactFile {
  readonly stem: string;
  readonly extension: string;
  readonly format: string;
  readonly content:
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "url"; readonly url: string };
}

/** Parts of one artifact that make one file: text comes in as many parts as it was streamed in. */
interface PartGroup {
  readonly filename: string;
  readonly mediaType: string;
  readonly content:
    | { kind: "text"; texts: string[] }
    | { kind: "data"; value: Json }
    | { kind: "url"; url: string };
}

/** The files that artifacts make, in their order. Parts without content make none. */
export function toArtifactFiles(artifacts: Iterable<Artifact>): ArtifactFile[] {
  return [...artifacts].flatMap((artifact) =>
    groupParts(artifact.parts).map((group) => toArtifactFile(artifact, group)),
  );
}

/** A name of its own for each file, of letters that every system takes. */
export function createArtifactFileNamer(): (
  piece: Pick<ArtifactFile, "stem" | "extension">,
) => string {
  const give = createFileNamer();
  return ({ stem, extension }) => give(stem, extension);
}

function groupParts(parts: readonly Part[]): PartGroup[] {
  const groups: PartGroup[] = [];
  for (const { content, filename, mediaType } of parts) {
    const last = groups.at(-1);
    switch (content?.$case) {
      case "text": {
        const isMore =
          last?.content.kind === "text" &&
          last.filename === filename &&
          last.mediaType === mediaType;
        if (isMore && last.content.kind === "text") last.content.texts.push(content.value);
        else
          groups.push({ filename, mediaType, content: { kind: "text", texts: [content.value] } });
        break;
      }
      case "data": {
        const value: Json = content.value ?? null;
        groups.push({ filename, mediaType, content: { kind: "data", value } });
        break;
      }
      case "url":
        groups.push({ filename, mediaType, content: { kind: "url", url: content.value } });
        break;
      // The line has taken bytes out.
      case "raw":
      case undefined:
    }
  }
  return groups;
}

function toArtifactFile(
  artifact: Artifact,
  { filename, mediaType, content }: PartGroup,
): ArtifactFile {
  const given = filename || findNameInUrl(content) || artifact.name || artifact.artifactId;
  const name = given.split(/[/\\]/).at(-1) ?? "";
  const extension = findFileExtension(name);
  const stem = toFileStem(extension === null ? name : name.slice(0, -extension.length - 1));
  const type =
    parseMediaType(mediaType) ?? (extension === null ? null : findMediaTypeOfExtension(extension));
  switch (content.kind) {
    case "text": {
      const format = type ?? "text/markdown";
      return createArtifactFile(
        stem,
        extension ?? findExtensionOfMediaType(format) ?? "txt",
        format,
        {
          kind: "text",
          text: content.texts.join(""),
        },
      );
    }
    case "data": {
      const text = `${JSON.stringify(content.value, null, 2)}\n`;
      return createArtifactFile(stem, "json", "application/json", { kind: "text", text });
    }
    case "url": {
      const format = type ?? "application/octet-stream";
      return createArtifactFile(
        stem,
        extension ?? findExtensionOfMediaType(format) ?? "bin",
        format,
        content,
      );
    }
  }
}

function createArtifactFile(
  stem: string,
  extension: string,
  type: string,
  content: ArtifactFile["content"],
): ArtifactFile {
  return { stem, extension, format: addUtf8Charset(type), content };
}

/** The last part of a URL's path names a file where the agent does not. */
function findNameInUrl(content: PartGroup["content"]): string {
  if (content.kind !== "url") return "";
  const path = URL.parse(content.url);
  if (path === null || !path.protocol.startsWith("http")) return "";
  const last = path.pathname.split("/").at(-1) ?? "";
  return findFileExtension(last) === null ? "" : last;
}

/** What the extension of a file's name says about it, and the other way round: the first of each type. */
const EXTENSION_MEDIA_TYPES: readonly (readonly [extension: string, type: string])[] = [
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
const MEDIA_TYPE_PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/;
const EXTENSION_PATTERN = /\.([a-z0-9]{1,8})$/i;

/** A media type as agents give it, tidied; null for none or what is none. */
export function parseMediaType(given: string): string | null {
  const [type = ""] = given.toLowerCase().split(";", 1);
  return MEDIA_TYPE_PATTERN.test(type.trim()) ? type.trim() : null;
}

/** The extension of a name without its dot; null where it has none. */
export function findFileExtension(name: string): string | null {
  return EXTENSION_PATTERN.exec(name)?.[1]?.toLowerCase() ?? null;
}

export function findExtensionOfMediaType(mediaType: string): string | null {
  if (mediaType.endsWith("+json")) return "json";
  return EXTENSION_MEDIA_TYPES.find(([, type]) => type === mediaType)?.[0] ?? null;
}

export function findMediaTypeOfExtension(extension: string): string | null {
  return EXTENSION_MEDIA_TYPES.find(([known]) => known === extension)?.[1] ?? null;
}

/** The format of a file; text is UTF-8, as it is written here. */
export function addUtf8Charset(mediaType: string): string {
  return mediaType.startsWith("text/") ? `${mediaType}; charset=utf-8` : mediaType;
}
