CREATE TABLE tasks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  status text NOT NULL,
  progress integer NOT NULL DEFAULT 0,
  task text NOT NULL,
  agent_id text,
  agent_name text,
  team_id text,
  priority text NOT NULL,
  attempt integer NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX tasks_created ON tasks (created_at, id);
CREATE INDEX tasks_status ON tasks (status, created_at, id);
CREATE INDEX tasks_agent ON tasks (agent_id, created_at, id);
CREATE INDEX tasks_priority ON tasks (priority, created_at, id);
CREATE INDEX tasks_team ON tasks (team_id, created_at, id) WHERE team_id IS NOT NULL;
