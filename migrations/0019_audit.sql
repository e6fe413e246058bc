CREATE TABLE `audit_retention` (
	`id` integer PRIMARY KEY NOT NULL,
	`deleted_before` integer NOT NULL,
	`last_seq` integer NOT NULL,
	`last_hash` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`key_id` text NOT NULL,
	`session_id` text,
	`address` text,
	`user_agent` text,
	`action` text NOT NULL,
	`subject_type` text NOT NULL,
	`subject_id` text NOT NULL,
	`before` text,
	`after` text,
	`request_id` text,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`);--> statement-breakpoint
CREATE INDEX `audit_action` ON `audit` (`action`);--> statement-breakpoint
CREATE INDEX `audit_subject` ON `audit` (`subject_type`,`subject_id`);--> statement-breakpoint
CREATE INDEX `audit_key` ON `audit` (`key_id`);--> statement-breakpoint
-- Edited by hand: the row that names the last deleted row (at first, the SHA-256 of an empty text), and triggers that keep the log append-only. INSERT OR REPLACE
-- deletes without a delete trigger, so the insert trigger accepts only the next number.
INSERT INTO `audit_retention` (`id`, `deleted_before`, `last_seq`, `last_hash`)
VALUES (1, 0, 0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
--> statement-breakpoint
CREATE TRIGGER `audit_insert` BEFORE INSERT ON `audit`
WHEN new.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM audit)
BEGIN
  SELECT RAISE(ABORT, 'audit rows must have the next number');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_update` BEFORE UPDATE ON `audit`
BEGIN
  SELECT RAISE(ABORT, 'audit rows cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_delete` BEFORE DELETE ON `audit`
WHEN NOT EXISTS (SELECT 1 FROM audit_retention WHERE old.seq <= last_seq AND old.at < deleted_before)
  OR old.seq = (SELECT max(seq) FROM audit)
BEGIN
  SELECT RAISE(ABORT, 'audit rows cannot be deleted');
END;
