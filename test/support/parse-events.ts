import { createParser, type EventSourceMessage } from "eventsource-parser";

/** Returns the events of a stream that has ended or was interrupted. */
export function parseEvents(text: string): readonly EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  parser.feed(`${text}\n\n`);
  return events;
}
