import { packFix, sameFix } from '../../domain/fix-record.ts'
import { type ObjectState, UNSEEN } from '../../domain/object-state.ts'
import type { TrackedObject } from '../../domain/tracked-object.ts'
import type { AppendOutcome, PositionStore } from '../store.ts'
import type { ChangeLog } from './changes.ts'
import type { Database } from './database.ts'
import { itemRows } from './item-rows.ts'
import { OBJECTS } from './kinds.ts'
import { stateRows } from './object-states.ts'

/** An object while a batch is at work on it. */
type Touched = { object: TrackedObject; state: ObjectState; changed: boolean }

export function appender(database: Database, changes: ChangeLog): PositionStore['append'] {
  const { writer } = database
  const objects = itemRows(writer, OBJECTS)
  const states = stateRows(writer)
  const insert = writer.prepare(`
    INSERT INTO positions (organization, object, time_device, change, fix) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
  `)
  const standing = writer.prepare(
    'SELECT fix FROM positions WHERE organization = ? AND object = ? AND time_device = ?',
  )

  function load(organization: number, id: number): Touched | null {
    const object = objects.find(organization, id)
    if (object === null) return null
    return { object, state: states.find(organization, id) ?? UNSEEN, changed: false }
  }

  return (organization, batch, fold) =>
    database.write(() => {
      const sequence = changes.upcoming()
      const touched = new Map<number, Touched | null>()

      const outcomes = batch.map(({ object, fix }): AppendOutcome => {
        let target = touched.get(object)
        if (target === undefined) {
          target = load(organization, object)
          touched.set(object, target)
        }
        if (target === null) return 'unknown_object'
        const record = packFix(fix)
        if (insert.run(organization, object, fix.timeDevice, sequence, record).changes === 0) {
          const row = standing.get(organization, object, fix.timeDevice) as { fix: Uint8Array }
          return sameFix(row.fix, record) ? 'duplicate' : 'conflict'
        }
        target.state = fold(target.state, target.object, fix)
        target.changed = true
        return 'accepted'
      })

      let accepted = false
      for (const [object, target] of touched) {
        if (!target?.changed) continue
        states.save(organization, object, target.state)
        accepted = true
      }
      if (accepted) changes.record(organization, 'states')
      return outcomes
    })
}
