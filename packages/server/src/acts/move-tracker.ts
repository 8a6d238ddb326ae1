import type { MonitoredObject } from '../base/domain/monitored-object.ts'
import { formatInstant } from '../base/domain/time/time.ts'
import type { TrackerSettings } from '../base/domain/tracker-settings.ts'
import type { ActCall } from './act.ts'
import { momentOf } from './input.ts'
import { conflict, existing, identTaken, invalid } from './refused.ts'

type Given = Partial<TrackerSettings & { ident: string }> & Readonly<Record<string, unknown>>

/** Moves the tracker of another object into this one. Throws `Refused`. */
export async function moveTracker(
  { store, now, body }: ActCall,
  { organization, id }: MonitoredObject,
  { ident, since: written, formerIdent: given }: Given,
): Promise<void> {
  if (written === undefined) throw invalid({ field: 'former_ident', rule: 'requires since' })
  if (ident === undefined) throw invalid({ field: 'since', rule: 'requires ident' })
  const other = Object.keys(body).find((field) => !FIELDS.has(field))
  if (other !== undefined) {
    throw invalid({ field: other, rule: 'cannot change together with since; change it separately' })
  }
  const since = momentOf(written)
  if (since > now) throw invalid({ field: 'since', rule: 'must not be in the future' })
  const [holder] = await store.objects.named(organization, ident)
  const formerIdent = given ?? `no-tracker-${holder}`
  const moved = await store.objects.moveTracker(
    organization,
    id,
    { ident, since, formerIdent },
    now,
  )
  if (moved === 'ident_taken') throw identTaken(formerIdent, 'former_ident')
  const outcome = existing(moved, 'object')
  if (!('outcome' in outcome)) return
  throw outcome.outcome === 'ident_is_free'
    ? conflict(`no other object has the ident '${ident}': leave out since`, 'since')
    : conflict(
        `the tracker '${ident}' moved at ${formatInstant(outcome.since)}: since must be later`,
        'since',
      )
}

const FIELDS: ReadonlySet<string> = new Set(['ident', 'since', 'former_ident'])
