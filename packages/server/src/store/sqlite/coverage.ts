import { utcDay } from '../../domain/time/time.ts'
import type { CoverageState, CoverageStore, KeptDay, RejectCount } from '../coverage-store.ts'
import type { Database } from './database/database.ts'
import { sliceRemover } from './slice-remover.ts'

const IN_RANGE = `
  organization = ?1 AND object IN (SELECT value FROM json_each(?2)) AND day BETWEEN ?3 AND ?4`

/** Some milliseconds. */
const SLICE_OBJECTS = 100

export function coverageStore(database: Database): CoverageStore {
  const { reader, writer } = database
  const state = reader.prepare('SELECT form, seq FROM coverage_states WHERE organization = ?')
  const days = reader.prepare(`
    SELECT object, day, content, is_outdated AS isOutdated, changed_at AS changedAt
    FROM coverage_days WHERE ${IN_RANGE} ORDER BY object, day
  `)
  const rejects = reader.prepare(`
    SELECT object, day, reason, packets
    FROM reject_counts WHERE ${IN_RANGE} ORDER BY object, day, reason
  `)
  const dropSlice = sliceRemover(writer, 'coverage_days', 'object, day')
  const objects = reader.prepare(`
    SELECT id FROM objects WHERE organization = ? AND id > ? ORDER BY id LIMIT ${SLICE_OBJECTS}
  `)
  const expired = 'organization = ?1 AND object BETWEEN ?2 AND ?3 AND day < ?4'
  const isDue = reader.prepare(`
    SELECT EXISTS (SELECT 1 FROM coverage_days WHERE ${expired})
      OR EXISTS (SELECT 1 FROM reject_counts WHERE ${expired}) AS due
  `)
  const removals = ['coverage_days', 'reject_counts'].map((table) =>
    writer.prepare(`DELETE FROM ${table} WHERE ${expired}`),
  )
  const advance = writer.prepare(`
    INSERT INTO coverage_states (organization, form, seq)
    SELECT id, ?2, ?3 FROM organizations WHERE id = ?1
    ON CONFLICT (organization) DO UPDATE SET form = excluded.form,
      seq = CASE WHEN form = excluded.form THEN max(seq, excluded.seq) ELSE excluded.seq END
  `)
  const outdate = writer.prepare(`
    UPDATE coverage_days
    SET is_outdated = max(is_outdated, seq < ?5), changed_at = max(coalesce(changed_at, 0), ?6)
    WHERE organization = ?1 AND object = ?2 AND day BETWEEN ?3 AND ?4
  `)
  const keep = writer.prepare(`
    INSERT INTO coverage_days (organization, object, day, seq, content, is_outdated)
    SELECT organization, id, ?3, ?4, ?5, 0 FROM objects WHERE organization = ?1 AND id = ?2
    ON CONFLICT (organization, object, day)
      DO UPDATE SET seq = excluded.seq, content = excluded.content, is_outdated = 0
  `)
  const current = writer.prepare('SELECT form, seq FROM coverage_states WHERE organization = ?')

  return {
    state: async (organization) =>
      database.read(() => {
        const found = state.get(organization) as CoverageState | undefined
        return found === undefined ? null : { ...found }
      }),
    async advance(organization, { form, seq }, touched) {
      const step = () => {
        if (touched === 'all' && dropSlice(organization)) return false
        for (const each of touched === 'all' ? [] : touched) {
          outdate.run(organization, each.object, each.from, each.to, each.seq, each.at)
        }
        advance.run(organization, form, seq)
        return true
      }
      while (!(await database.write(step)));
    },
    days: async (organization, of, from, to) =>
      database.read(() =>
        days.all(organization, JSON.stringify(of), from, to).map((row) => {
          const day = row as Omit<KeptDay, 'isOutdated'> & { isOutdated: number }
          return { ...day, isOutdated: day.isOutdated === 1 }
        }),
      ),
    keep: (organization, asOf, kept) =>
      database.write(() => {
        const now = current.get(organization) as CoverageState | undefined
        if (now?.form !== asOf.form || now.seq > asOf.seq) return
        for (const { object, day, content } of kept) {
          keep.run(organization, object, day, asOf.seq, content)
        }
      }),
    async purgeExpired(organization, before, after) {
      const day = utcDay(before)
      const found = database.read(() => {
        const ids = objects.all(organization, after).map(({ id }) => id as number)
        const [first = 0, last = 0] = [ids[0], ids.at(-1)]
        const range = [organization, first, last, day] as const
        return { ids, range, isDue: isDue.get(...range)!.due === 1 }
      })
      const { range } = found
      if (found.isDue) {
        await database.write(() => {
          for (const removal of removals) removal.run(...range)
        })
      }
      return found.ids.length < SLICE_OBJECTS ? null : found.ids.at(-1)!
    },
    rejects: async (organization, of, from, to) =>
      database.read(() =>
        rejects
          .all(organization, JSON.stringify(of), from, to)
          .map((row) => ({ ...(row as RejectCount) })),
      ),
  }
}
