import type { NewAuditEntry } from '../domain/audit.ts'
import type { Clock } from '../domain/clock.ts'
import type { AuditStore } from '../store/store.ts'

/** An action, without the parts of an audit entry that are known already. */
export type Done = Pick<NewAuditEntry, 'action' | 'organization'> & Partial<NewAuditEntry>

/** Adds an entry to the audit log. */
export type Note = (done: Done) => Promise<void>

export function noting(audit: AuditStore, actor: string, clock: Clock): Note {
  return (done) =>
    audit.add({ at: clock.now(), actor, target: null, name: null, changes: null, ...done })
}
