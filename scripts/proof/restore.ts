import type { TaskEvent } from "../../src/tasks/model/events.ts";
import type { EventShape } from "./responses.ts";

type Data = Readonly<Record<string, unknown>>;

/**
 * Converts an event from the API back to its stored form, which `applyEvent` reads. Values that the API hides
 * (fingerprints, tokens, file keys) are empty.
 */
export function restored({ seq, type, at, data }: EventShape): TaskEvent {
  return asEvent({ seq, type, at: Date.parse(at), data: dataOf(type, data) });
}

function dataOf(type: string, data: Data): Data {
  switch (type) {
    case "created": {
      const { deadline, estimatedCompletion } = data;
      const instants = {
        deadline: instant(deadline),
        estimatedCompletion: instant(estimatedCompletion),
      };
      return { context: {}, ...data, ...instants, fingerprint: "" };
    }
    case "retried": {
      const { automatic } = data;
      if (!isData(automatic)) return data;
      return { ...data, automatic: { ...automatic, notBefore: instant(automatic["notBefore"]) } };
    }
    case "updated":
      return "deadline" in data ? { ...data, deadline: instant(data["deadline"]) } : data;
    case "started":
    case "resumed": {
      const { lease } = data;
      return isData(lease) ? { ...data, lease: { ...lease, token: "" } } : data;
    }
    case "progressed":
      return { work: {}, ...data, ...("file" in data ? { file: fileOf(data["file"]) } : {}) };
    case "blocked":
      return { work: {}, ...data };
    case "submitted":
    case "completed":
      return { ...data, deliverables: listOf(data["deliverables"]).map(fileOf) };
    default:
      return data;
  }
}

function fileOf(file: unknown): unknown {
  return isData(file) ? { ...file, key: "", createdAt: instant(file["createdAt"]) } : file;
}

function instant(at: unknown): number | null {
  return typeof at === "string" ? Date.parse(at) : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isData(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The cast is unchecked. If `applyEvent` does not know an event type, the resulting task differs from the GET response.
 */
function asEvent(event: object): TaskEvent {
  return event as TaskEvent;
}
