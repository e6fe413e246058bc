import * as z from "zod";
import {
  BODY_ENCODINGS,
  FILE_ENCODINGS,
  PARAMETER_STYLES,
  type BodyEncoding,
  type MappedBody,
} from "../../domain/connector.ts";
import { ID_CHARACTERS_MAX } from "../../domain/limits.ts";

const named = z.string().min(1).max(ID_CHARACTERS_MAX);
const mediaType = z.string().regex(/^[\w.!#$&^-]{1,100}\/[\w.!#$&^+-]{1,100}$/, {
  error: "must be a media type, such as image/png",
});

/** How a value is written where it is no JSON. */
export const styled = {
  style: z.enum(PARAMETER_STYLES).optional(),
  explode: z.boolean().optional(),
};
const as = z.enum(BODY_ENCODINGS).default("json");
const byField = {
  styles: z.record(named, z.strictObject(styled)).optional(),
  files: z
    .record(
      named,
      z.strictObject({
        encoding: z.enum(FILE_ENCODINGS).default("text"),
        contentType: mediaType.default("application/octet-stream"),
      }),
    )
    .optional(),
};
/** The body of a request as a client describes it. */
export const mappedBody = z
  .union(
    [
      z.strictObject({ as, parameter: named, ...byField }),
      z.strictObject({ as, fields: z.record(named, named), ...byField }),
    ],
    {
      error:
        'must be {"parameter": "<its name>"} or {"fields": {"<field>": "<parameter>"}}; a form may add "styles": {"<field>": {"style", "explode"}}, and a multipart one "files": {"<field>": {"encoding", "contentType"}}',
    },
  )
  .refine((body) => areFields(body, body.styles, ["form", "multipart"]), {
    path: ["styles"],
    error: "must name fields of the body, and goes with as: form or multipart",
  })
  .refine((body) => areFields(body, body.files, ["multipart"]), {
    path: ["files"],
    error: "must name fields of the body, and goes with as: multipart",
  });

/** Whether what is given by field fits how the body is written. */
function areFields(body: MappedBody, by: object | undefined, forms: BodyEncoding[]): boolean {
  if (by === undefined) return true;
  const isNamed = (field: string) => !("fields" in body) || Object.hasOwn(body.fields, field);
  return forms.includes(body.as) && Object.keys(by).every(isNamed);
}
