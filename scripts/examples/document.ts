import type { Entry } from "./recorder.ts";

/** The parts of the OpenAPI document that the recorder reads. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: { readonly properties?: object } }>>;

/** An operation in the OpenAPI document. */
export interface ListedOperation {
  readonly id: string;
  readonly method: string;
  /** The path with parameters in braces: `/agents/tasks/{id}`. */
  readonly path: string;
  /** The names of the query parameters. */
  readonly query: readonly string[];
  /** The success statuses whose response body is an envelope with `data`. */
  readonly dataStatuses: readonly number[];
  /** Whether a success response is also available as an event stream. */
  readonly hasStream: boolean;
}

/** All operations, in the order of the document. */
export function listOperations({ paths }: ApiDocument): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId: id, parameters = [], responses }]) => {
      const withData = Object.entries(responses).filter(
        ([status, { content }]) => Number(status) < 300 && hasData(content),
      );
      return {
        id,
        method: method.toUpperCase(),
        path,
        query: parameters.filter((one) => one.in === "query").map(({ name }) => name),
        dataStatuses: withData.map(([status]) => Number(status)),
        hasStream: withData.some(([, { content = {} }]) => "text/event-stream" in content),
      };
    }),
  );
}

function hasData(content: Content = {}): boolean {
  return "success" in (content["application/json"]?.schema?.properties ?? {});
}

/** The operations, statuses with data and streams in the document that are missing from a recording. */
export function listMissing(
  operations: readonly ListedOperation[],
  entries: Readonly<Record<string, Entry>>,
): string[] {
  return operations.flatMap(({ id, dataStatuses, hasStream }) => {
    const entry = entries[id];
    if (entry === undefined) return [id];
    const statuses = dataStatuses.filter((status) => entry.responses?.[status] === undefined);
    const stream = hasStream && entry.stream === undefined ? ["stream"] : [];
    return [...statuses, ...stream].map((part) => `${id} ${part}`);
  });
}
