import type { Artifact, Part } from "@a2a-js/sdk";
import type { Json } from "../../../domain/json.ts";
import { nameGiver, stemOf } from "../builtin/deliverables/names.ts";
import { extensionFor, extensionOf, formatOf, mediaTypeOf, typeFor } from "./media.ts";

/** A file to be made of an artifact. `url`: its bytes lie elsewhere. */
export interface Piece {
  readonly stem: string;
  readonly extension: string;
  readonly format: string;
  readonly content:
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "url"; readonly url: string };
}

/** Parts of one artifact that make one file: text comes in as many parts as it was streamed in. */
interface Run {
  readonly filename: string;
  readonly mediaType: string;
  readonly content:
    | { kind: "text"; texts: string[] }
    | { kind: "data"; value: Json }
    | { kind: "url"; url: string };
}

/** The files that artifacts make, in their order. Parts without content make none. */
export function piecesOf(artifacts: Iterable<Artifact>): Piece[] {
  return [...artifacts].flatMap((artifact) =>
    runsOf(artifact.parts).map((run) => pieceOf(artifact, run)),
  );
}

/** A name of its own for each file, of letters that every system takes. */
export function pieceNames(): (piece: Pick<Piece, "stem" | "extension">) => string {
  const give = nameGiver();
  return ({ stem, extension }) => give(stem, extension);
}

function runsOf(parts: readonly Part[]): Run[] {
  const runs: Run[] = [];
  for (const { content, filename, mediaType } of parts) {
    const last = runs.at(-1);
    switch (content?.$case) {
      case "text": {
        const isMore =
          last?.content.kind === "text" &&
          last.filename === filename &&
          last.mediaType === mediaType;
        if (isMore && last.content.kind === "text") last.content.texts.push(content.value);
        else runs.push({ filename, mediaType, content: { kind: "text", texts: [content.value] } });
        break;
      }
      case "data": {
        const value: Json = content.value ?? null;
        runs.push({ filename, mediaType, content: { kind: "data", value } });
        break;
      }
      case "url":
        runs.push({ filename, mediaType, content: { kind: "url", url: content.value } });
        break;
      // The line has taken bytes out.
      case "raw":
      case undefined:
    }
  }
  return runs;
}

function pieceOf(artifact: Artifact, { filename, mediaType, content }: Run): Piece {
  const given = filename || nameIn(content) || artifact.name || artifact.artifactId;
  const name = given.split(/[/\\]/).at(-1) ?? "";
  const extension = extensionOf(name);
  const stem = stemOf(extension === null ? name : name.slice(0, -extension.length - 1));
  const type = mediaTypeOf(mediaType) ?? (extension === null ? null : typeFor(extension));
  switch (content.kind) {
    case "text": {
      const format = type ?? "text/markdown";
      return made(stem, extension ?? extensionFor(format) ?? "txt", format, {
        kind: "text",
        text: content.texts.join(""),
      });
    }
    case "data": {
      const text = `${JSON.stringify(content.value, null, 2)}\n`;
      return made(stem, "json", "application/json", { kind: "text", text });
    }
    case "url": {
      const format = type ?? "application/octet-stream";
      return made(stem, extension ?? extensionFor(format) ?? "bin", format, content);
    }
  }
}

function made(stem: string, extension: string, type: string, content: Piece["content"]): Piece {
  return { stem, extension, format: formatOf(type), content };
}

/** The last part of a URL's path names a file where the agent does not. */
function nameIn(content: Run["content"]): string {
  if (content.kind !== "url") return "";
  const path = URL.parse(content.url);
  if (path === null || !path.protocol.startsWith("http")) return "";
  const last = path.pathname.split("/").at(-1) ?? "";
  return extensionOf(last) === null ? "" : last;
}
