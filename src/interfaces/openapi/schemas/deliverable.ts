import * as z from "zod";
import { instantSchema } from "./common.ts";

const type = z.string().meta({
  description:
    "The word it was asked for by in `deliverables`, such as `report`; of a file that a worker handed in without saying, its name's ending.",
});
const name = z.string().meta({
  description: "The file's name, unique among the files of one outcome.",
});
const format = z.string().meta({
  description: "The file's media type, as its `Content-Type` will say.",
  examples: ["text/markdown; charset=utf-8"],
});
const size = z.int().min(0).meta({ description: "Size in bytes." });
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({
    description:
      "SHA-256 of the bytes in hex; absent where nobody has computed it. Files that workers upload have it.",
  });

const deliverableFieldSchemas = {
  type,
  name,
  url: z.url().meta({
    description: "Where the bytes lie, for whoever has a key that may read the task.",
  }),
  size,
  createdAt: instantSchema("When the file was stored."),
  sha256: sha256.optional(),
};

/** A file as a task names it. */
export const deliverableSchema = z
  .strictObject(deliverableFieldSchemas)
  .meta({ id: "Deliverable", description: "A file that a task has delivered." });

export const downloadableDeliverableSchema = z
  .strictObject({
    ...deliverableFieldSchemas,
    downloadUrl: z.url().meta({
      description:
        "A signed link to the bytes that needs no key and works for an hour: whoever holds it may download the file.",
    }),
    format,
  })
  .meta({
    id: "DownloadableDeliverable",
    description: "A file that a task has delivered, with a link that needs no key.",
  });

export const uploadedFileSchema = z.strictObject({ ...deliverableFieldSchemas, format }).meta({
  id: "UploadedFile",
  description:
    "A file that a worker has handed in. It can be downloaded once the work is in review or completed.",
});

/** A file as events hold it. */
export const storedFileSchema = z
  .strictObject({
    type,
    name,
    format,
    size,
    createdAt: instantSchema("When the file was stored."),
    sha256: sha256.optional(),
  })
  .meta({ id: "StoredFile", description: "A file as the log records it." });

/** GET …/deliverables. */
export const deliverableListSchema = z
  .strictObject({
    taskId: z.string().meta({ description: "The task's id." }),
    deliverables: z
      .array(downloadableDeliverableSchema)
      .meta({ description: "The files, in the order in which they were made; none is possible." }),
  })
  .meta({ id: "Deliverables", description: "The files of a task." });
