import { CircleAlert, LoaderCircle } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";

const TAB_TITLE_CHARACTERS_MAX = 100;

/** The title of a view, which is also the title of the browser's tab, and its main actions. */
export function ViewHeader({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title.slice(0, TAB_TITLE_CHARACTERS_MAX)} – Bosun`;
  }, [title]);
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-4">
      <h1 className="min-w-0 text-xl font-semibold">
        <bdi className="line-clamp-3 break-words">{title}</bdi>
      </h1>
      <div className="ml-auto flex flex-wrap items-center justify-end gap-2">{children}</div>
    </header>
  );
}

export function Card({
  title,
  actions,
  children,
}: {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="border-border bg-surface min-w-0 rounded-lg border p-4">
      {title !== undefined && (
        <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
          <h2 className="font-semibold">{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p role="status" className="text-muted flex items-center gap-2 p-4">
      <LoaderCircle aria-hidden className="size-4 animate-spin" />
      Loading {what} …
    </p>
  );
}

/**
 * Shows the API's message, its problems if there are several, and the request id. If the resource does not exist, offers
 * no retry.
 */
export function ErrorPanel({
  error,
  retry,
}: {
  readonly error: Error;
  readonly retry?: () => void;
}) {
  const isApiError = error instanceof ApiError;
  return (
    <div
      role="alert"
      className="border-danger/40 bg-danger-soft text-danger flex gap-2 rounded-md border p-3"
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="grid min-w-0 gap-1 [&>*]:min-w-0">
        <p className="break-words">{error.message}</p>
        {isApiError && error.problems.length > 1 && (
          <ul className="list-disc pl-4">
            {error.problems.map(({ path, message }) => (
              <li key={`${path} ${message}`} className="break-words">
                <code>{path}</code> {message}
              </li>
            ))}
          </ul>
        )}
        {isApiError && error.requestId !== null && (
          <p className="flex flex-wrap items-center gap-1 text-sm break-all">
            {error.code} · request {error.requestId}
            <CopyButton text={error.requestId} label="Copy the request id" />
          </p>
        )}
        {retry !== undefined && !(isApiError && error.status === 404) && (
          <div>
            <Button onClick={retry}>Try again</Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** What to do when there is nothing to show, with the command that changes that. */
export function EmptyState({
  title,
  children,
  command,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly command?: string;
}) {
  return (
    <div className="border-border-strong/40 grid grid-cols-[minmax(0,1fr)] justify-items-center gap-2 rounded-lg border border-dashed p-4 text-center sm:p-8">
      <p className="font-semibold">{title}</p>
      {children !== undefined && <div className="text-muted max-w-prose">{children}</div>}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

/** A command to copy. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div className="bg-sunken border-border flex w-full max-w-2xl items-start gap-2 rounded-md border p-2 text-left">
      <pre className="min-w-0 flex-1 overflow-x-auto text-sm" tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label="Copy the command" />
    </div>
  );
}
