/** The part that tests use. The package's own types need the DOM library, which the Worker does not have. */
declare module "@microsoft/fetch-event-source" {
  interface EventSourceMessage {
    id: string;
    event: string;
    data: string;
    retry?: number;
  }

  export function fetchEventSource(
    input: string,
    init: {
      fetch: typeof fetch;
      openWhenHidden: boolean;
      onmessage: (message: EventSourceMessage) => void;
    },
  ): Promise<void>;
}
