import { html } from "hono/html";
import type { AppContext } from "./envelope.ts";

/** Builds HTML from a template. Inserted text is escaped. */
export { html } from "hono/html";
export type Html = ReturnType<typeof html>;

/**
 * Returns a page without scripts, which is not cached, framed or indexed. Its address can contain a secret, so it is not
 * sent as a referrer.
 */
export function htmlPage(
  c: AppContext,
  status: 200 | 400 | 401 | 403 | 404 | 409 | 413 | 503,
  { title, style, body }: { readonly title: string; readonly style: string; readonly body: Html },
): Response {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html>`;
  return c.newResponse(page.toString(), status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy":
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  });
}
