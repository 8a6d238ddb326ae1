import type { Organization } from '../domain/organization.ts'
import { REFUSED_IDENT_MESSAGES, type RefusedIdent } from '../domain/refused-ident.ts'
import { formatInstant } from '../domain/time/time.ts'
import type { Reject } from '../fold/outcome.ts'
import { REJECT_REASONS } from '../fold/rules/judge.ts'
import type { PreviewRow } from '../import/preview-positions.ts'
import { isFault } from '../import/row.ts'

/** `2026-11-20T10:00:00.000Z`. Null if there is no time, or it cannot be written. */
export function instantOrNull(time: number | null): string | null {
  if (time === null) return null
  const year = new Date(time).getUTCFullYear()
  return year >= 0 && year <= 9_999 ? formatInstant(time) : null
}

/** The form in the console and on the command line. */
export function organizationDocument(organization: Organization) {
  return {
    id: organization.id,
    name: organization.name,
    distance_unit: organization.distanceUnit,
    language: organization.language,
    subscription: organization.subscription,
    daily_quota: organization.dailyQuota,
    create_objects: organization.createObjects,
    max_objects: organization.maxObjects,
    max_places: organization.maxPlaces,
    max_vertices: organization.maxVertices,
    retention_days: organization.retentionDays,
    signal_timeout_hours: organization.signalTimeoutHours,
    time_zone: organization.timeZone,
    created_at: formatInstant(organization.createdAt),
    updated_at: formatInstant(organization.updatedAt),
  }
}

/** Times are null if they cannot be written: that may be why the packet was rejected. */
export function rejectDocument({ reason, timeServer, fix }: Reject) {
  return {
    time_server: instantOrNull(timeServer),
    time_device: instantOrNull(fix.timeDevice),
    reason,
    message: REJECT_REASONS[reason] ?? reason,
    hdop: fix.hdop,
    gps_level: fix.gpsLevel,
    latitude: fix.latitude,
    longitude: fix.longitude,
  }
}

export function refusedIdentDocument(refused: RefusedIdent) {
  return {
    ident: refused.ident,
    reason: refused.reason,
    message: REFUSED_IDENT_MESSAGES[refused.reason],
    packets: refused.packets,
    last_at: formatInstant(refused.lastAt),
    latitude: refused.latitude,
    longitude: refused.longitude,
  }
}

/** A row's values as they would be stored, or why it would be rejected. */
export function previewRowDocument({ line, text, read }: PreviewRow) {
  const { ident, fix } = isFault(read) ? { ident: null, fix: null } : read
  return {
    line,
    text: text.slice(0, 160),
    ident,
    time_device: instantOrNull(fix?.timeDevice ?? null),
    latitude: fix?.latitude ?? null,
    longitude: fix?.longitude ?? null,
    speed: fix?.speed ?? null,
    rejected: isFault(read) ? read.detail : null,
  }
}
