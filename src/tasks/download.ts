import { DOWNLOAD_LINK_MS } from "../domain/limits.ts";
import type { Deliverable } from "../domain/task.ts";
import { isSigned, sign } from "../http/signature.ts";

const USE = "download";

/** The query that opens a deliverable without a key until it expires. */
export async function signedQuery(
  secret: string,
  taskId: string,
  name: string,
  now: number,
): Promise<string> {
  const expires = String(Math.floor((now + DOWNLOAD_LINK_MS) / 1_000));
  const signature = await sign(secret, USE, signedText(taskId, name, expires));
  return new URLSearchParams({ expires, signature }).toString();
}

/** Whether a link's query was made by this service for this very file and has not expired. */
export async function isGoodLink(
  secret: string,
  file: { taskId: string; name: string },
  query: URLSearchParams,
  now: number,
): Promise<boolean> {
  const expires = query.get("expires") ?? "";
  const signature = query.get("signature") ?? "";
  const signed = await isSigned(
    secret,
    USE,
    signedText(file.taskId, file.name, expires),
    signature,
  );
  return signed && Number(expires) * 1_000 > now;
}

/** A file as an answer: an attachment that no browser runs, guesses the type of or frames. */
export function fileResponse(file: Deliverable, body: ReadableStream, size: number): Response {
  const plainName = file.name.replaceAll(/[^\w.-]/g, "_");
  return new Response(body, {
    headers: {
      "Content-Type": file.format,
      "Content-Length": String(size),
      "Content-Disposition": `attachment; filename="${plainName}"; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      "Content-Security-Policy":
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, no-store",
    },
  });
}

function signedText(taskId: string, name: string, expires: string): string {
  return `${taskId}\n${name}\n${expires}`;
}
