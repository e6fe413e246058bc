import { expect, it } from "vitest";
import { send } from "../../support/client.ts";
import { MESSAGE, rest, rpc, VERSION } from "./expect-errors.ts";

/** Makes the agent ask a question before it starts. */
const ASKS = { askFirst: "Which?" };
const CONTEXT = { original_name: 1, nested: { snake_case: true } };

it("requests with the original field names are accepted, and metadata and data are not changed", async () => {
  const message = {
    message_id: crypto.randomUUID(),
    context_id: "snake",
    role: "ROLE_USER",
    parts: [{ text: "Note it", media_type: "text/plain" }, { data: CONTEXT }],
    metadata: { bosun: { deliverables: ["summary"] }, my_own: 1 },
  };
  const configuration = { return_immediately: true, history_length: 0 };
  const { body } = await rpc("SendMessage", { message, configuration });
  const { task } = body.result;
  expect(task.contextId).toBe("snake");
  expect(task.history).toBeUndefined();
  const made = await send("GET", `/agents/tasks/${task.id}`);
  expect(made.body.data.context).toMatchObject(CONTEXT);
  const url = "https://93.184.216.34/";
  const config = { task_id: task.id, id: "c", url };
  const created = await rpc("CreateTaskPushNotificationConfig", config);
  expect(created.body.result).toEqual({ taskId: task.id, id: "c", url });
  const listed = await rest("GET", "/tasks?context_id=snake&page_size=1&history_length=1");
  expect(JSON.parse(listed.text)).toMatchObject({ tasks: [{ id: task.id }], pageSize: 1 });
  const sent = await rest("POST", "/message:send", { message, configuration });
  expect(JSON.parse(sent.text)).toMatchObject({ task: { id: task.id } });
});

it("invalid fields with their original names are rejected", async () => {
  const { body } = await rpc("SendMessage", { message: { ...MESSAGE, message_id: 5, task_id: 7 } });
  const fields = body.error.data[1].fieldViolations.map(({ field }: { field: string }) => field);
  expect(fields).toEqual(["message.messageId", "message.taskId"]);
  const twice = await rest("GET", "/tasks?page_size=1&pageSize=2");
  expect(twice.text).toContain("must be given only once");
  const unknown = await send("GET", "/a2a/v1/tasks?my_size=1", undefined, { headers: VERSION });
  expect(unknown.status).toBe(400);
});

it("an A2A 0.3 message that uses the original name of the task id field reaches the task", async () => {
  const text = { kind: "text", text: "Which penguins?" };
  const first = { kind: "message", role: "user", parts: [text, { kind: "data", data: ASKS }] };
  const configuration = { blocking: true };
  const asked = await rpc(
    "message/send",
    { message: { ...first, messageId: "q" }, configuration },
    {},
  );
  expect(asked.body.result.status.state).toBe("input-required");
  const { id } = asked.body.result;
  const answer = { kind: "message", role: "user", message_id: "a", task_id: id, parts: [text] };
  const answered = await rpc("message/send", { message: answer, configuration }, {});
  expect(answered.body.result.id).toBe(id);
});
