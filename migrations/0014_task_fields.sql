-- Edited by hand: added the triggers that maintain the table of labels, and WITHOUT ROWID, because that table is keyed
-- by its own columns. Tasks without labels write no row there.
CREATE TABLE `task_labels` (
	`key` text NOT NULL,
	`value` text NOT NULL,
	`created_at` integer NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`key`, `value`, `created_at`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `directory` ADD `title` text;--> statement-breakpoint
ALTER TABLE `directory` ADD `labels` text;--> statement-breakpoint
ALTER TABLE `directory` ADD `external_id` text;--> statement-breakpoint
CREATE INDEX `directory_external` ON `directory` (`external_id`) WHERE "directory"."external_id" is not null;--> statement-breakpoint
CREATE TRIGGER `directory_labels_added` AFTER INSERT ON `directory`
WHEN new.labels IS NOT NULL
BEGIN
	INSERT INTO task_labels (key, value, created_at, id)
	SELECT label.key, label.value, new.created_at, new.id FROM json_each(new.labels) AS label;
END;--> statement-breakpoint
CREATE TRIGGER `directory_labels_changed` AFTER UPDATE OF labels ON `directory`
WHEN new.labels IS NOT old.labels
BEGIN
	DELETE FROM task_labels WHERE (key, value, created_at, id) IN (
		SELECT label.key, label.value, old.created_at, old.id FROM json_each(old.labels) AS label
		EXCEPT SELECT label.key, label.value, old.created_at, old.id FROM json_each(new.labels) AS label);
	INSERT INTO task_labels (key, value, created_at, id)
	SELECT label.key, label.value, new.created_at, new.id FROM json_each(new.labels) AS label
	EXCEPT SELECT label.key, label.value, new.created_at, new.id FROM json_each(old.labels) AS label;
END;--> statement-breakpoint
CREATE TRIGGER `directory_labels_removed` AFTER DELETE ON `directory`
WHEN old.labels IS NOT NULL
BEGIN
	DELETE FROM task_labels WHERE (key, value, created_at, id) IN (
		SELECT label.key, label.value, old.created_at, old.id FROM json_each(old.labels) AS label);
END;
