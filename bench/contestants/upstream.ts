// The external system that the HTTP tool calls. It returns the same small JSON document for every request.
import { createServer } from "node:http";
import { serve } from "./serve.ts";

const BODY = JSON.stringify({
  tides: [
    { at: "04:12", height: 1.2 },
    { at: "16:31", height: 1.1 },
  ],
});

const server = createServer((_request, response) => {
  response.setHeader("Content-Type", "application/json").end(BODY);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  serve(`http://127.0.0.1:${port}`, {}, async () => void server.close());
});
