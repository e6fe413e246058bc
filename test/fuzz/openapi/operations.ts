import { env } from "cloudflare:workers";

/** The parts of JSON Schema that the document's input schemas use, with references resolved. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Body {
  readonly mediaType: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly example: unknown;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path, with parameters in braces, as in the document. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body | null;
  readonly statuses: readonly string[];
}

interface Written {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<
      Record<string, { readonly schema: Schema; readonly example?: unknown }>
    >;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Written>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const file = await env.ASSETS.fetch("https://assets.test/openapi.json");
const { paths, components } = await file.json<Document>();

/** All operations of the document. */
export const OPERATIONS: readonly Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, written]) => ({
    id: written.operationId,
    method: method.toUpperCase(),
    path,
    parameters: written.parameters ?? [],
    body: bodyOf(written),
    statuses: Object.keys(written.responses),
  })),
);

function bodyOf({ requestBody }: Written): Body | null {
  const [content] = Object.entries(requestBody?.content ?? {});
  if (requestBody === undefined || content === undefined) return null;
  const [mediaType, { schema, example }] = content;
  return {
    mediaType,
    required: requestBody.required === true,
    schema: resolved(schema),
    example: example ?? null,
  };
}

/** Resolves the references in a schema. Input schemas are not recursive. */
function resolved(schema: Schema): Schema {
  const { $ref, ...own } = schema;
  const target = $ref === undefined ? {} : componentAt($ref);
  const all: Schema = { ...target, ...own };
  const { properties, items, anyOf, oneOf, additionalProperties } = all;
  return {
    ...all,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, resolved(one)]),
          ),
        }),
    ...(items === undefined ? {} : { items: resolved(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(resolved) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(resolved) }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: resolved(additionalProperties) }
      : {}),
  };
}

function componentAt(reference: string): Schema {
  const found = components.schemas[reference.slice(reference.lastIndexOf("/") + 1)];
  if (found === undefined) throw new Error(`${reference} does not exist`);
  return resolved(found);
}
