import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

interface Params {
  readonly task: string;
  readonly startInMs: number;
}

interface WorkflowEnv {
  readonly TASKS: Workflow<Params>;
}

const STEPS = 5;

/** A task as a workflow instance. The engine persists each step. */
export class TaskWorkflow extends WorkflowEntrypoint<WorkflowEnv, Params> {
  override async run(event: WorkflowEvent<Params>, step: WorkflowStep): Promise<number> {
    const { startInMs } = event.payload;
    if (startInMs > 0) await step.sleep("start", startInMs);
    for (let done = 1; done <= STEPS; done += 1) {
      await step.do(`step ${done}`, async () => ({ progress: (100 * done) / STEPS }));
    }
    return STEPS;
  }
}

export default {
  async fetch(request: Request, env: WorkflowEnv): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (request.method === "POST") {
      const instance = await env.TASKS.create({ params: await request.json<Params>() });
      return Response.json({ id: instance.id }, { status: 201 });
    }
    const instance = await env.TASKS.get(pathname.slice("/tasks/".length));
    const { status } = await instance.status();
    return Response.json({ status: status === "complete" ? "completed" : status });
  },
} satisfies ExportedHandler<WorkflowEnv>;
