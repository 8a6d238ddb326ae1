import { utcDay } from '../../base/domain/time/time.ts'
import { PACK_AFTER_MS } from '../../engine/store/position-store.ts'
import { MAX_UNPACKED } from '../../engine/store/store-status.ts'
import { IS_CLOCK_REJECT } from './table.ts'

/** Selects `StoreContents` as of a moment. All stores have these tables. */
export const contentsAt = (now: number) => `
  WITH unpacked AS (
    SELECT length(fix) + length(track) AS bytes FROM objects
    JOIN positions ON positions.organization = objects.organization AND positions.object = objects.id
      AND time_device < ${now - PACK_AFTER_MS}
    LIMIT ${MAX_UNPACKED}
  )
  SELECT
    (SELECT count(*) FROM organizations) AS "organizations",
    (SELECT count(*) FROM objects) AS "objects",
    (SELECT coalesce(sum(rows), 0) FROM position_blocks) AS "packedPositions",
    (SELECT coalesce(sum(length(block)), 0) FROM position_blocks) AS "packedBytes",
    (SELECT count(*) FROM unpacked) AS "unpackedPositions",
    (SELECT coalesce(sum(bytes), 0) FROM unpacked) AS "unpackedBytes",
    (SELECT count(*) FROM refolds) AS "objectsToRecompute",
    (SELECT count(*) FROM (
      SELECT DISTINCT organization, object FROM reject_counts
      WHERE day >= ${utcDay(now) - 1} AND ${IS_CLOCK_REJECT}
    ) AS wrong) AS "objectsWithWrongClocks",
    (SELECT count(*) FROM (
      SELECT organization FROM record_progress UNION SELECT organization FROM record_tasks
    ) AS wanted) AS "organizationsWithRecords",
    (SELECT count(*) FROM (
      SELECT record_progress.organization FROM record_progress
      JOIN change_log ON change_log.organization = record_progress.organization
        AND change_log.seq = record_progress.seq + 1
      UNION SELECT organization FROM record_tasks WHERE failed_at IS NULL
    ) AS behind) AS "organizationsBehind",
    (SELECT count(*) FROM record_tasks WHERE failed_at IS NOT NULL) AS "recordFailures",
    (SELECT min(change_log.at) FROM record_progress
      JOIN change_log ON change_log.organization = record_progress.organization
        AND change_log.seq = record_progress.seq + 1) AS "behindSince",
    (SELECT count(*) FROM webhooks) AS "webhooks",
    (SELECT count(*) FROM webhooks WHERE off_at IS NOT NULL) AS "webhooksOff",
    (SELECT count(*) FROM webhook_deliveries
      WHERE failing_since IS NOT NULL AND delivered_at IS NULL) AS "deliveriesFailing"`

/** Selects the first `RecordFailure`s. */
export const FAILURES = `
  SELECT organization, kind, id, failed_at AS "failedAt", error FROM record_tasks
  WHERE failed_at IS NOT NULL ORDER BY organization, kind, id LIMIT 20`

/** Parts of a store, the largest first. */
export function bySize<Part extends { bytes: number }>(parts: readonly Part[]): Part[] {
  return parts.toSorted((a, b) => b.bytes - a.bytes)
}
