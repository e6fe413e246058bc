import { Agent, getAgentByName } from "agents";

interface AgentEnv extends Cloudflare.Env {
  readonly TASKS: DurableObjectNamespace<TaskAgent>;
}

interface TaskState {
  readonly status: "pending" | "in_progress" | "completed";
  readonly progress: number;
  readonly task: string;
}

const STEPS = 5;

/** A task as an agent of the Agents SDK. It stores its state, and each step schedules the next one. */
export class TaskAgent extends Agent<AgentEnv, TaskState> {
  async create(task: string, startInMs: number): Promise<void> {
    this.setState({ status: "pending", progress: 0, task });
    await this.schedule(new Date(Date.now() + startInMs), "step", 1);
  }

  async read(): Promise<TaskState> {
    return this.state;
  }

  async step(done: number): Promise<void> {
    const status = done === STEPS ? "completed" : "in_progress";
    this.setState({ ...this.state, status, progress: (100 * done) / STEPS });
    if (done < STEPS) await this.schedule(new Date(), "step", done + 1);
  }
}

export default {
  async fetch(request: Request, env: AgentEnv): Promise<Response> {
    if (request.method === "POST") {
      const { task, startInMs } = await request.json<{ task: string; startInMs: number }>();
      const id = crypto.randomUUID();
      const agent = await getAgentByName<AgentEnv, TaskAgent>(env.TASKS, id);
      await agent.create(task, startInMs);
      return Response.json({ id }, { status: 201 });
    }
    const id = new URL(request.url).pathname.slice("/tasks/".length);
    const agent = await getAgentByName<AgentEnv, TaskAgent>(env.TASKS, id);
    return Response.json(await agent.read());
  },
} satisfies ExportedHandler<AgentEnv>;
