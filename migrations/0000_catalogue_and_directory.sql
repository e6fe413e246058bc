-- Edited by hand: WITHOUT ROWID, which drizzle cannot express, saves one row write for each change
-- to a table that is keyed by its own columns.
CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`skills` text DEFAULT '[]' NOT NULL,
	`executor` text DEFAULT 'builtin' NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`rating_sum` real DEFAULT 0 NOT NULL,
	`rating_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `capabilities` (
	`tool_id` text NOT NULL,
	`id` text NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`parameters` text NOT NULL,
	PRIMARY KEY(`tool_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `directory` (
	`id` text NOT NULL,
	`seq` integer NOT NULL,
	`status` text NOT NULL,
	`task` text NOT NULL,
	`agent_id` text,
	`agent_name` text,
	`team_id` text,
	`priority` text NOT NULL,
	`deadline` integer,
	`attempt` integer NOT NULL,
	`rating` real,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	PRIMARY KEY(`created_at`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `directory_status` ON `directory` (`status`);--> statement-breakpoint
CREATE INDEX `directory_agent` ON `directory` (`agent_id`);--> statement-breakpoint
CREATE INDEX `directory_priority` ON `directory` (`priority`);--> statement-breakpoint
CREATE INDEX `directory_team` ON `directory` (`team_id`) WHERE "directory"."team_id" is not null;--> statement-breakpoint
CREATE TABLE `grants` (
	`agent_id` text NOT NULL,
	`tool_id` text NOT NULL,
	`proficiency` text NOT NULL,
	`capabilities` text,
	`granted_at` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `tool_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `grants_tool` ON `grants` (`tool_id`,`agent_id`);--> statement-breakpoint
CREATE TABLE `keys` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`scopes` text NOT NULL,
	`agent_id` text,
	`team_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `members` (
	`team_id` text NOT NULL,
	`agent_id` text NOT NULL,
	PRIMARY KEY(`team_id`, `agent_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `teams` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tools` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`category` text NOT NULL,
	`description` text NOT NULL,
	`documentation` text NOT NULL,
	`auth_type` text NOT NULL,
	`auth_scopes` text NOT NULL,
	`rate_requests` integer NOT NULL,
	`rate_period` text NOT NULL,
	`price_free` integer NOT NULL,
	`price_overage` real NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tools_id` ON `tools` (`id`);--> statement-breakpoint
CREATE INDEX `tools_category` ON `tools` (`category`);